#include "client/reproduce_runs.h"

#include <algorithm>
#include <utility>

#include "scheduler/sim/machine.h"
#include "scheduler/sim/model_shape.h"

namespace quire {
namespace {

// Rows of a step; the paper's system computes whole prompts in one.
constexpr uint32_t kMaxStepTokens = 2048;

// More than are ever in use: the host has much memory.
constexpr uint32_t kHostBlocks = 100'000;

// Of a trace: short requests that come fast make enough of them sooner.
constexpr double kMaxRequests = 20'000;

}  // namespace

ReproduceRuns::ReproduceRuns(Options options) : options_(std::move(options)) {}

const std::vector<SimulationFigures>& ReproduceRuns::Of(
    const Experiment& experiment) {
  auto found = runs_.find(experiment);
  if (found == runs_.end()) {
    if (options_.report) options_.report(experiment);
    found = runs_.emplace(experiment, Run(experiment)).first;
  }
  return found->second;
}

std::vector<SimulationFigures> ReproduceRuns::Run(
    const Experiment& experiment) const {
  RunOptions run;
  run.policy = experiment.policy;
  run.shape = *FindModelShape(experiment.model);
  run.machine = *ParseMachine(KnownMachines(), run.shape.machine);
  run.block_size = experiment.block_size;
  run.engine = EngineForTraces(kMaxStepTokens);
  run.engine.prefix_cache = experiment.uses_prefix_cache;
  run.engine.preemption = experiment.preemption;
  run.num_host_blocks = kHostBlocks;
  TraceOptions trace = {.shape = experiment.trace,
                        .rate = experiment.rate,
                        .num_sequences = experiment.num_sequences,
                        .is_beam_search = experiment.is_beam_search,
                        .prefix_tokens = experiment.prefix_tokens};
  trace.num_requests = static_cast<uint32_t>(
      std::clamp(experiment.rate * options_.seconds, 1.0, kMaxRequests));
  std::vector<SimulationFigures> figures;
  for (uint32_t i = 1; i <= options_.num_seeds; ++i) {
    trace.seed = i;
    figures.push_back(RunSimulation(MakeTrace(trace), run));
  }
  return figures;
}

Spread ReproduceRuns::Figure(
    const Experiment& experiment,
    const std::function<double(const SimulationFigures&)>& figure) {
  std::vector<double> values;
  for (const SimulationFigures& run : Of(experiment)) {
    values.push_back(figure(run));
  }
  return SpreadOf(values);
}

}  // namespace quire
