#ifndef QUIRE_CLIENT_REPRODUCE_RUNS_H_
#define QUIRE_CLIENT_REPRODUCE_RUNS_H_

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "client/spread.h"
#include "scheduler/sim/simulation_run.h"
#include "scheduler/sim/trace.h"

namespace quire {

// One experiment, but for its seed: a model serves a trace at a rate.
struct Experiment {
  ServingPolicy policy = ServingPolicy::kPaged;
  TraceShape trace = TraceShape::kShareGpt;
  double rate = 1;  // Requests a second.
  uint32_t block_size = 16;
  std::string model = "opt-13b";
  uint32_t num_sequences = 1;   // Of each request.
  bool is_beam_search = false;  // They are beams, not samples.
  uint32_t prefix_tokens = 0;   // Of TraceShape::kSharedPrefix.
  bool uses_prefix_cache = true;
  PreemptionMode preemption = PreemptionMode::kRecompute;  // As the paper's.

  friend auto operator<=>(const Experiment&, const Experiment&) = default;
};

// Why a figure may be another than the paper's that depends on how long the
// requests of a trace are.
inline constexpr char kLengthsAreAssumed[] =
    "depends on how widely lengths spread, which the paper does not print: "
    "one log-normal sigma is assumed for all";

// Runs experiments, each once a seed, whichever sections ask for it.
class ReproduceRuns {
 public:
  struct Options {
    uint32_t num_seeds = 3;  // At least 1.
    // In which requests arrive, at most 20,000 of them.
    double seconds = 600;
    // Called before each run.
    std::function<void(const Experiment&)> report;
  };

  explicit ReproduceRuns(Options options);

  // The runs of all seeds.
  const std::vector<SimulationFigures>& Of(const Experiment& experiment);
  // One figure of each.
  Spread Figure(const Experiment& experiment,
                const std::function<double(const SimulationFigures&)>& figure);

 private:
  std::vector<SimulationFigures> Run(const Experiment& experiment) const;

  const Options options_;
  std::map<Experiment, std::vector<SimulationFigures>> runs_;
};

}  // namespace quire

#endif  // QUIRE_CLIENT_REPRODUCE_RUNS_H_
