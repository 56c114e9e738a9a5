#ifndef QUIRE_SCHEDULER_SIM_CAPACITY_PLAN_H_
#define QUIRE_SCHEDULER_SIM_CAPACITY_PLAN_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "scheduler/sim/latency_target.h"
#include "scheduler/sim/model_shape.h"
#include "scheduler/sim/offered_load.h"
#include "scheduler/sim/simulation_run.h"

namespace quire {

// What a replica's memory is used for.
struct MemorySplit {
  uint64_t weight_bytes = 0;
  uint64_t block_bytes = 0;
  uint64_t num_blocks = 0;
  uint64_t num_slots = 0;  // Of these blocks.
  // The longest request of one sequence that can be served, prompt and answer
  // together: the context, or less where the blocks do not suffice.
  uint64_t longest_request = 0;  // Tokens.
  uint64_t longest_blocks = 0;   // That it holds at its end.
  uint64_t num_longest = 0;      // That run together.
};
// REQUIRES: block_size is not 0, and there is a slot.
MemorySplit SplitMemory(const ModelShape& shape, uint32_t block_size);

// How many replicas serve a load within its targets?
struct CapacityQuestion {
  RunOptions replica;
  OfferedLoad load;  // Of the service, evenly shared by its replicas.
  std::vector<LatencyTarget> targets;
  // Of the traces that a replica is tried with; a recorded load has one.
  uint64_t first_seed = 1;
  uint32_t num_seeds = 3;
  // Called before each run, with the replica's rate.
  std::function<void(double rate)> report = [](double) {};
};

struct CapacityAnswer {
  // The fewest with which one replica, at its share of the rate, meets every
  // target on every trace. 0: no number does, and `obstacle` says why.
  uint32_t num_replicas = 0;
  std::string obstacle;
  // Of one replica at its share of the rate, one for each trace; where no
  // number suffices, of one that is given a request at a time. Empty where
  // there are requests that never fit.
  std::vector<SimulationFigures> runs;
  // Requests a second with which one replica meets the targets, to within 5 %;
  // traces are as long as the load's, so it may stand a burst of so many.
  double sustained_rate = 0;
};

// Doubles and then bisects the replicas, and then the rate of one: latencies
// grow with what a replica is asked for. The same question has the same answer.
// REQUIRES: the options are valid, the load has a finite rate, there are
// targets and seeds.
CapacityAnswer PlanCapacity(const CapacityQuestion& question);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_CAPACITY_PLAN_H_
