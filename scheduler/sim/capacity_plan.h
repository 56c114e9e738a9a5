#ifndef QUIRE_SCHEDULER_SIM_CAPACITY_PLAN_H_
#define QUIRE_SCHEDULER_SIM_CAPACITY_PLAN_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "scheduler/sim/latency_target.h"
#include "scheduler/sim/offered_load.h"
#include "scheduler/sim/simulation_run.h"

namespace quire {

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
  // Whether it is such a burst, on any trace: the requests arrive in less than
  // half of the time until the last one has ended.
  bool is_burst = false;
};

// Doubles and then bisects the replicas, and then the rate of one: latencies
// grow with what a replica is asked for. The same question has the same answer.
// REQUIRES: the options are valid, the load has a finite rate, there are
// targets and seeds.
CapacityAnswer PlanCapacity(const CapacityQuestion& question);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_CAPACITY_PLAN_H_
