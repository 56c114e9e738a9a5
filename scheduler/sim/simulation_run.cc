#include "scheduler/sim/simulation_run.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/check_range.h"
#include "common/named_values.h"
#include "common/status_macros.h"
#include "scheduler/sim/cost_model.h"
#include "scheduler/sim/orca_system.h"
#include "scheduler/sim/paged_system.h"
#include "scheduler/sim/static_system.h"

namespace quire {
namespace {

constexpr NamedValue<ServingPolicy> kPolicies[] = {
    {"paged", ServingPolicy::kPaged},
    {"static", ServingPolicy::kStatic},
    {"orca_max", ServingPolicy::kOrcaMax},
    {"orca_pow2", ServingPolicy::kOrcaPow2},
    {"orca_oracle", ServingPolicy::kOrcaOracle}};

// The accounts of a block are some 80 bytes of this machine.
constexpr uint64_t kMaxBlocks = 1 << 24;
// Far above what any devices hold.
constexpr uint64_t kMaxKvBytes = uint64_t{1} << 60;

// Also false where a term is infinite. Whatever a trace asks for, its times
// then stay far below the longest that can be told from infinite.
absl::Status CheckStepTime(const CostModel& cost) {
  constexpr absl::Duration kLongest = absl::Hours(1000);
  StepWork work;
  work.AddRun(/*position=*/0, /*num_rows=*/1);
  work.slots_copied = work.slots_swapped = 1;
  const absl::Duration time = cost.StepTime(work);
  if (time <= kLongest) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "on this machine a step of one row takes ", absl::FormatDuration(time),
      ", must be at most ", absl::FormatDuration(kLongest)));
}

Percentiles PercentilesOf(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const auto index = static_cast<size_t>(share * values.size());
    return values[std::min(index, values.size() - 1)];
  };
  return {at(0.5), at(0.9), at(0.99)};
}

Percentiles Microseconds(const std::vector<absl::Duration>& times) {
  std::vector<double> values;
  values.reserve(times.size());
  for (const absl::Duration time : times) {
    values.push_back(absl::ToDoubleMicroseconds(time));
  }
  return PercentilesOf(std::move(values));
}

void AddRequests(const Trace& trace, const SimulationOutcome& outcome,
                 SimulationFigures& figures) {
  uint64_t num_tokens = 0;
  std::vector<double> token_latencies;
  std::vector<double> first_tokens;
  std::vector<double> gaps;
  for (size_t i = 0; i < trace.size(); ++i) {
    const RequestOutcome& request = outcome.requests[i];
    if (request.refused) {
      ++figures.num_refused;
      continue;
    }
    const uint32_t output_tokens = trace[i].output_tokens;
    num_tokens += uint64_t{output_tokens} * trace[i].num_sequences;
    token_latencies.push_back(
        absl::ToDoubleSeconds(request.finish - request.arrival) /
        output_tokens);
    first_tokens.push_back(
        absl::ToDoubleSeconds(request.first_token - request.arrival));
    if (output_tokens == 1) continue;
    gaps.push_back(absl::ToDoubleSeconds(request.finish - request.first_token) /
                   (output_tokens - 1));
  }
  figures.num_requests = trace.size();
  figures.duration_s = absl::ToDoubleSeconds(outcome.duration);
  if (first_tokens.empty()) return;
  figures.output_tokens_per_s =
      static_cast<double>(num_tokens) / figures.duration_s;
  figures.mean_token_latency_s =
      std::accumulate(token_latencies.begin(), token_latencies.end(), 0.0) /
      static_cast<double>(token_latencies.size());
  figures.token_latency_s = PercentilesOf(std::move(token_latencies));
  figures.first_token_s = PercentilesOf(std::move(first_tokens));
  figures.between_tokens_s = PercentilesOf(std::move(gaps));
}

SimulationFigures FiguresOf(const Trace& trace, ServingSystem& system,
                            const SimulationOptions& options) {
  const SimulationOutcome outcome = Simulate(trace, system, options);
  SimulationFigures figures;
  AddRequests(trace, outcome, figures);
  figures.occupancy = outcome.occupancy;
  const SystemTotals totals = system.totals();
  figures.num_steps = totals.num_steps;
  figures.num_preemptions = totals.num_preemptions;
  figures.num_swap_preemptions = totals.num_swap_preemptions;
  if (totals.num_steps > 0) {
    figures.rows_per_step = static_cast<double>(totals.num_rows) /
                            static_cast<double>(totals.num_steps);
  }
  return figures;
}

void AddSchedulerTimes(const PagedSystem& system, SimulationFigures& figures) {
  std::vector<absl::Duration> serialize;
  std::vector<double> bytes;
  for (const auto& dispatch : system.group().dispatches()) {
    serialize.push_back(dispatch.serialize);
    bytes.push_back(static_cast<double>(dispatch.plan_bytes));
  }
  figures.plan_us = Microseconds(system.times().plan);
  figures.serialize_us = Microseconds(serialize);
  figures.commit_us = Microseconds(system.times().commit);
  figures.plan_bytes = PercentilesOf(std::move(bytes));
}

SimulationFigures RunPaged(const Trace& trace, const RunOptions& options,
                           const CostModel& cost) {
  PagedSystem system({.engine = options.engine,
                      .num_blocks = static_cast<uint32_t>(
                          options.shape.num_slots / options.block_size),
                      .num_host_blocks = options.num_host_blocks,
                      .block_size = options.block_size},
                     &cost);
  SimulationFigures figures = FiguresOf(trace, system, options.simulation);
  AddSchedulerTimes(system, figures);
  return figures;
}

SimulationFigures RunOrca(const Trace& trace, const RunOptions& options,
                          Reservation reservation, const CostModel& cost) {
  OrcaSystem system(reservation, options.shape.context_length,
                    options.shape.num_slots, &cost);
  return FiguresOf(trace, system, options.simulation);
}

SimulationFigures RunStatic(const Trace& trace, const RunOptions& options,
                            const CostModel& cost) {
  StaticSystem system(options.shape.context_length, options.shape.num_slots,
                      &cost);
  return FiguresOf(trace, system, options.simulation);
}

}  // namespace

bool AbslParseFlag(absl::string_view text, ServingPolicy* policy,
                   std::string* error) {
  return ParseNamedValue(kPolicies, text, policy, error);
}

std::string AbslUnparseFlag(ServingPolicy policy) {
  return NameOf(kPolicies, policy);
}

EngineOptions EngineForTraces(uint32_t max_step_tokens) {
  EngineOptions options;
  options.max_step_tokens = max_step_tokens;
  options.max_running_sequences = max_step_tokens;
  options.max_waiting_requests = 1 << 20;
  options.max_waiting_tokens = uint64_t{1} << 40;
  // A second of modelled time is a few steps: the check would be most of them.
  options.consistency_interval = absl::InfiniteDuration();
  return options;
}

uint64_t RunOptions::most_slots() const {
  return std::min(block_size * kMaxBlocks,
                  kMaxKvBytes / std::max<uint64_t>(1, shape.bytes_per_slot()));
}

absl::Status RunOptions::Validate() const {
  QUIRE_RETURN_IF_ERROR(
      CheckRange("block_size", block_size, 1, kMaxSimulatedBlockSize));
  QUIRE_RETURN_IF_ERROR(
      CheckRange("num_slots", shape.num_slots, block_size, most_slots()));
  QUIRE_RETURN_IF_ERROR(
      CheckRange("host_blocks", num_host_blocks, 0, kMaxBlocks));
  QUIRE_RETURN_IF_ERROR(CheckStepTime(CostModel(shape, machine)));
  return engine.Validate();
}

SimulationFigures RunSimulation(const Trace& trace, const RunOptions& options) {
  QUIRE_CHECK(options.Validate().ok());
  const CostModel cost(options.shape, options.machine);
  switch (options.policy) {
    case ServingPolicy::kPaged:
      return RunPaged(trace, options, cost);
    case ServingPolicy::kStatic:
      return RunStatic(trace, options, cost);
    case ServingPolicy::kOrcaMax:
      return RunOrca(trace, options, Reservation::kMax, cost);
    case ServingPolicy::kOrcaPow2:
      return RunOrca(trace, options, Reservation::kPow2, cost);
    case ServingPolicy::kOrcaOracle:
      return RunOrca(trace, options, Reservation::kOracle, cost);
  }
  return {};
}

}  // namespace quire
