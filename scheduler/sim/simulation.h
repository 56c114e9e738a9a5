#ifndef QUIRE_SCHEDULER_SIM_SIMULATION_H_
#define QUIRE_SCHEDULER_SIM_SIMULATION_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "scheduler/sim/serving_system.h"
#include "scheduler/sim/trace.h"

namespace quire {

struct SimulationOptions {
  // Not 0: so many requests are open at any time, whatever their arrivals, and
  // the next one comes when one has ended.
  uint32_t concurrency = 0;
  // Between two looks at what the system holds.
  absl::Duration sample_interval = absl::Milliseconds(250);
};

// What happened to one request. Times count from the start.
struct RequestOutcome {
  absl::Duration arrival;
  absl::Duration first_token;
  absl::Duration finish;  // Of its last sequence.
  bool refused = false;
};

// Averages over the time in which requests arrive; over all of it where all
// arrived at once.
struct MeanOccupancy {
  double num_running = 0;     // Requests.
  uint64_t most_running = 0;  // Of all looks.
  // Slots.
  double allocated = 0;
  double tokens = 0;
  double reserved = 0;
  double over_reserved = 0;
  double saved = 0;
  uint64_t total = 0;

  // Of what would be allocated without sharing; 0 where nothing is.
  double saved_share() const {
    return saved > 0 ? saved / (allocated + saved) : 0;
  }
};

struct SimulationOutcome {
  std::vector<RequestOutcome> requests;  // As in the trace.
  absl::Duration duration;               // Until the last one ended.
  MeanOccupancy occupancy;
};

// Plays the trace, event by event, to its end.
SimulationOutcome Simulate(const Trace& trace, ServingSystem& system,
                           const SimulationOptions& options);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_SIMULATION_H_
