#include "client/reproduce_sweep.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace quire {
namespace {

double KeptUp(const Sweep& sweep, size_t seed) {
  double rate_below = 0;
  double latency_below = 0;
  for (size_t i = 0; i < sweep.rates.size(); ++i) {
    const double latency = sweep.latencies[i][seed];
    if (latency > kLatencyLimit) {
      const double share =
          (kLatencyLimit - latency_below) / (latency - latency_below);
      return rate_below + share * (sweep.rates[i] - rate_below);
    }
    rate_below = sweep.rates[i];
    latency_below = latency;
  }
  return sweep.rates.back();
}

}  // namespace

double NormalizedLatency(const SimulationFigures& figures) {
  return figures.mean_token_latency_s;
}

Sweep SweepOf(ReproduceRuns& runs, const std::string& name,
              Experiment experiment, const std::vector<double>& rates) {
  Sweep sweep = {.name = name, .rates = rates};
  for (const double rate : rates) {
    experiment.rate = rate;
    std::vector<double>& latencies = sweep.latencies.emplace_back();
    for (const SimulationFigures& run : runs.Of(experiment)) {
      latencies.push_back(NormalizedLatency(run));
    }
  }
  return sweep;
}

std::vector<double> KeptUp(const Sweep& sweep) {
  std::vector<double> rates;
  for (size_t seed = 0; seed < sweep.latencies.front().size(); ++seed) {
    rates.push_back(KeptUp(sweep, seed));
  }
  return rates;
}

Spread KeptUpRatio(const Sweep& one, const Sweep& other) {
  std::vector<double> ratios = KeptUp(one);
  const std::vector<double> others = KeptUp(other);
  for (size_t i = 0; i < ratios.size(); ++i) ratios[i] /= others[i];
  return SpreadOf(ratios);
}

ReproducedGrid GridOf(const std::string& name,
                      const std::vector<Sweep>& sweeps) {
  ReproducedGrid grid = {.name = absl::StrCat(name, ", rate")};
  for (const Sweep& sweep : sweeps) grid.columns.push_back(sweep.name);
  const std::vector<double>& rates = sweeps.front().rates;
  for (size_t i = 0; i < rates.size(); ++i) {
    ReproducedGrid::Row& row = grid.rows.emplace_back();
    row.name = absl::StrFormat("%.4g/s", rates[i]);
    for (const Sweep& sweep : sweeps) {
      row.cells.push_back(SpreadOf(sweep.latencies[i]));
    }
  }
  return grid;
}

}  // namespace quire
