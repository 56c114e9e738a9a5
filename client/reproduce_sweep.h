#ifndef QUIRE_CLIENT_REPRODUCE_SWEEP_H_
#define QUIRE_CLIENT_REPRODUCE_SWEEP_H_

#include <string>
#include <vector>

#include "client/reproduce_runs.h"
#include "client/reproduce_table.h"
#include "client/spread.h"
#include "scheduler/sim/simulation_run.h"

namespace quire {

// Above it, in seconds a token, a system does not keep up with what arrives.
inline constexpr double kLatencyLimit = 0.2;

// The paper's name for mean_token_latency_s.
double NormalizedLatency(const SimulationFigures& figures);

// One system at each of some rates, which grow: the normalized latency of each
// seed.
struct Sweep {
  std::string name;  // Of the system.
  std::vector<double> rates;
  std::vector<std::vector<double>> latencies;  // [rate, seed]
};

// Runs the experiment at each rate instead of its own.
Sweep SweepOf(ReproduceRuns& runs, const std::string& name,
              Experiment experiment, const std::vector<double>& rates);

// The rate at which the latency reaches the limit, of each seed: on a line
// between two rates that were tried; the last one where it does not.
std::vector<double> KeptUp(const Sweep& sweep);

// How many times the rate of the other system the one keeps up with.
Spread KeptUpRatio(const Sweep& one, const Sweep& other);

// A column for each sweep, a row for each rate. REQUIRES: all have the same
// rates.
ReproducedGrid GridOf(const std::string& name,
                      const std::vector<Sweep>& sweeps);

}  // namespace quire

#endif  // QUIRE_CLIENT_REPRODUCE_SWEEP_H_
