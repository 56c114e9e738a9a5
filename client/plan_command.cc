#include "client/plan_command.h"

#include <cmath>
#include <cstdint>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/declare.h"
#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/connection_flags.h"
#include "client/plan_report.h"
#include "client/simulation_flags.h"
#include "common/check_range.h"
#include "common/status_macros.h"
#include "scheduler/sim/capacity_plan.h"

ABSL_DECLARE_FLAG(uint32_t, seeds);

ABSL_FLAG(std::string, target, "ttft_p90=1,tbt_p90=0.1",
          "Seconds that latencies may take at most: ttft, tbt or "
          "token_latency, at _p50, _p90 or _p99.");

namespace quire {
namespace {

constexpr char kDetails[] =
    R"(Says how many replicas serve --rate requests a second within --target, and what
one replica then holds, preempts and takes, by quire simulate with its share of
the rate. ttft is the time from arrival to the first token, tbt that between
tokens (a request's mean), token_latency that from arrival to the end, divided
by the tokens of the answer. Every one of --seeds traces must meet the targets;
they count up from --seed, and a recorded trace is the only one. A trace has
--requests requests, so one that is short for its rate is a burst that may hide
an overload; the plan then says so.

)";

absl::StatusOr<CapacityQuestion> QuestionFromFlags(Console& console) {
  QUIRE_ASSIGN_OR_RETURN(RunOptions replica, RunOptionsFromFlags());
  QUIRE_ASSIGN_OR_RETURN(OfferedLoad load,
                         LoadFromFlags(replica.shape.context_length));
  QUIRE_ASSIGN_OR_RETURN(std::vector<LatencyTarget> targets,
                         ParseLatencyTargets(absl::GetFlag(FLAGS_target)));
  CapacityQuestion question = {.replica = std::move(replica),
                               .load = std::move(load),
                               .targets = std::move(targets),
                               .first_seed = SeedFromFlags(),
                               .num_seeds = absl::GetFlag(FLAGS_seeds)};
  QUIRE_RETURN_IF_ERROR(CheckRange("seeds", question.num_seeds, 1, 100));
  if (!std::isfinite(question.load.rate())) {
    return absl::InvalidArgumentError(
        "all requests of the trace arrive at once: their rate is not known");
  }
  if (console.err_is_terminal) {
    question.report = [&console](double rate) {
      console.err << absl::StreamFormat("\r%.4g requests/s\x1b[K", rate)
                  << std::flush;
    };
  }
  return question;
}

absl::Status RunPlanCommand(const std::vector<std::string>&, Console& console) {
  QUIRE_ASSIGN_OR_RETURN(const CapacityQuestion question,
                         QuestionFromFlags(console));
  const CapacityAnswer answer = PlanCapacity(question);
  if (console.err_is_terminal) console.err << "\r\x1b[K" << std::flush;
  console.out << (JsonFromFlags() ? PlanJson(question, answer)
                                  : PlanText(question, answer));
  return absl::OkStatus();
}

}  // namespace

Command PlanCommand() {
  return {"plan",
          "",
          "says how many replicas serve a load within latency targets",
          absl::StrCat(kDetails, SimulationFlagsHelp()),
          WithSimulationFlags({"target", "seeds"}),
          RunPlanCommand};
}

}  // namespace quire
