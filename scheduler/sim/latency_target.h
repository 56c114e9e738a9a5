#ifndef QUIRE_SCHEDULER_SIM_LATENCY_TARGET_H_
#define QUIRE_SCHEDULER_SIM_LATENCY_TARGET_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "scheduler/sim/simulation_run.h"

namespace quire {

// A latency of a run, at a percentile over its requests: "ttft_p90". Which
// latencies there are, SimulationFigures says.
struct LatencyFigure {
  std::string name;
  Percentiles SimulationFigures::*latency = nullptr;
  double Percentiles::*percentile = nullptr;

  double Of(const SimulationFigures& figures) const {  // Seconds.
    return figures.*latency.*percentile;
  }
};

// "ttft" (first_token_s), "tbt" (between_tokens_s) and "token_latency"
// (token_latency_s), each at "_p50", "_p90" and "_p99".
std::vector<LatencyFigure> LatencyFigures();

// What such a figure may be at most.
struct LatencyTarget {
  LatencyFigure figure;
  double limit_s = 0;

  bool IsMetBy(const SimulationFigures& figures) const {
    return figure.Of(figures) <= limit_s;
  }
};

// "ttft_p90=1,tbt_p99=0.2", at least one. INVALID_ARGUMENT names the part that
// is wrong and what it must be.
absl::StatusOr<std::vector<LatencyTarget>> ParseLatencyTargets(
    const std::string& text);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_LATENCY_TARGET_H_
