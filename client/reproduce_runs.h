#ifndef QUIRE_CLIENT_REPRODUCE_RUNS_H_
#define QUIRE_CLIENT_REPRODUCE_RUNS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "client/reproduce_table.h"
#include "scheduler/sim/machine.h"
#include "scheduler/sim/model_shape.h"
#include "scheduler/sim/simulation_run.h"
#include "scheduler/sim/trace.h"

namespace quire {

// One experiment, but for its seed: OPT-13B serves a trace at a rate.
struct Experiment {
  ServingPolicy policy = ServingPolicy::kPaged;
  TraceShape trace = TraceShape::kShareGpt;
  double rate = 1;  // Requests a second.
  uint32_t block_size = 16;

  friend bool operator<(const Experiment& a, const Experiment& b) {
    return std::tie(a.policy, a.trace, a.rate, a.block_size) <
           std::tie(b.policy, b.trace, b.rate, b.block_size);
  }
};

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

  const ModelShape& shape() const { return shape_; }

 private:
  std::vector<SimulationFigures> Run(const Experiment& experiment) const;

  const Options options_;
  const ModelShape shape_;
  const Machine machine_;
  std::map<Experiment, std::vector<SimulationFigures>> runs_;
};

}  // namespace quire

#endif  // QUIRE_CLIENT_REPRODUCE_RUNS_H_
