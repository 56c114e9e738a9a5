#ifndef QUIRE_SCHEDULER_SIM_SIMULATION_RUN_H_
#define QUIRE_SCHEDULER_SIM_SIMULATION_RUN_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "scheduler/engine/engine_options.h"
#include "scheduler/sim/machine.h"
#include "scheduler/sim/model_shape.h"
#include "scheduler/sim/simulation.h"
#include "scheduler/sim/trace.h"

namespace quire {

// Who serves.
enum class ServingPolicy {
  kPaged,    // This project.
  kStatic,   // StaticSystem.
  kOrcaMax,  // OrcaSystem by Reservation.
  kOrcaPow2,
  kOrcaOracle,
};

// "paged", "static", "orca_max", "orca_pow2", "orca_oracle"; found by abseil's
// flags.
bool AbslParseFlag(absl::string_view text, ServingPolicy* policy,
                   std::string* error);
std::string AbslUnparseFlag(ServingPolicy policy);

// An engine whose queue has room for every trace, and which runs as many
// sequences as a step has rows.
EngineOptions EngineForTraces(uint32_t max_step_tokens);

inline constexpr uint32_t kMaxSimulatedBlockSize = 1024;

struct RunOptions {
  ServingPolicy policy = ServingPolicy::kPaged;
  ModelShape shape;  // With its number of slots.
  Machine machine;
  SimulationOptions simulation;
  // Of kPaged.
  uint32_t block_size = 16;
  uint32_t num_host_blocks = 0;  // To swap blocks out to.
  EngineOptions engine;

  // Slots of the shape at most: as many as blocks are counted of, whose bytes
  // 64 bits count too.
  uint64_t most_slots() const;
  // INVALID_ARGUMENT names the option, its value and the limit.
  absl::Status Validate() const;
};

// 0 where there is nothing to order.
struct Percentiles {
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
};

// The figures of one run.
struct SimulationFigures {
  uint64_t num_requests = 0;
  uint64_t num_refused = 0;  // Of these nothing else counts.
  double duration_s = 0;
  double output_tokens_per_s = 0;
  // Of each request: (finish - arrival) / output tokens of a sequence.
  double mean_token_latency_s = 0;
  Percentiles token_latency_s;
  Percentiles first_token_s;
  // From one token of a sequence to the next: each request's mean, of those
  // with several tokens.
  Percentiles between_tokens_s;
  uint64_t num_steps = 0;
  double rows_per_step = 0;
  uint64_t num_preemptions = 0;
  uint64_t num_swap_preemptions = 0;  // Of these, to host blocks.
  MeanOccupancy occupancy;

  // Of kPaged: what the scheduler took of this machine for a step.
  Percentiles plan_us;       // Choices and difference.
  Percentiles serialize_us;  // The plan into bytes.
  Percentiles commit_us;     // The result, until it is published.
  Percentiles plan_bytes;
};

// REQUIRES: the options are valid.
SimulationFigures RunSimulation(const Trace& trace, const RunOptions& options);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_SIMULATION_RUN_H_
