#include "client/simulate_command.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/flags/declare.h"
#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "client/connection_flags.h"
#include "client/simulation_flags.h"
#include "client/simulation_report.h"
#include "common/status_macros.h"
#include "scheduler/sim/offered_load.h"
#include "scheduler/sim/simulation_run.h"

ABSL_DECLARE_FLAG(uint32_t, concurrency);

namespace quire {
namespace {

constexpr char kDetails[] =
    R"(Turns this program's own scheduler on a virtual clock, before a modelled worker:
no server is asked and no weights are read. --concurrency keeps so many requests
open, whatever their arrivals.

)";

absl::Status RunSimulateCommand(const std::vector<std::string>&,
                                Console& console) {
  QUIRE_ASSIGN_OR_RETURN(RunOptions options, RunOptionsFromFlags());
  options.simulation.concurrency = absl::GetFlag(FLAGS_concurrency);
  QUIRE_ASSIGN_OR_RETURN(const OfferedLoad load,
                         LoadFromFlags(options.shape.context_length));
  const SimulationFigures figures =
      RunSimulation(load.AsItIs(SeedFromFlags()), options);
  const bool paged = options.policy == ServingPolicy::kPaged;
  console.out << (JsonFromFlags() ? SimulationJson(figures, paged)
                                  : SimulationText(figures, paged));
  return absl::OkStatus();
}

}  // namespace

Command SimulateCommand() {
  return {"simulate",
          "",
          "plays a trace against a modelled worker and prints the figures",
          absl::StrCat(kDetails, SimulationFlagsHelp()),
          WithSimulationFlags({"concurrency"}),
          RunSimulateCommand};
}

}  // namespace quire
