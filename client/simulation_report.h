#ifndef QUIRE_CLIENT_SIMULATION_REPORT_H_
#define QUIRE_CLIENT_SIMULATION_REPORT_H_

#include <string>

#include "scheduler/sim/simulation_run.h"

namespace quire {

// The figures of a simulation as one line of JSON, percentiles as [50th, 90th,
// 99th], and as a table. `paged`: with what the scheduler's own code took.
std::string SimulationJson(const SimulationFigures& figures, bool paged);
std::string SimulationText(const SimulationFigures& figures, bool paged);

}  // namespace quire

#endif  // QUIRE_CLIENT_SIMULATION_REPORT_H_
