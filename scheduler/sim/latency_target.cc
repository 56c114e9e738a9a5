#include "scheduler/sim/latency_target.h"

#include <cmath>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/status_macros.h"

namespace quire {
namespace {

constexpr std::pair<const char*, Percentiles SimulationFigures::*>
    kLatencies[] = {{"ttft", &SimulationFigures::first_token_s},
                    {"tbt", &SimulationFigures::between_tokens_s},
                    {"token_latency", &SimulationFigures::token_latency_s}};
constexpr std::pair<const char*, double Percentiles::*> kPercentiles[] = {
    {"p50", &Percentiles::p50},
    {"p90", &Percentiles::p90},
    {"p99", &Percentiles::p99}};

absl::StatusOr<LatencyFigure> FindFigure(absl::string_view name) {
  std::vector<std::string> names;
  for (LatencyFigure& figure : LatencyFigures()) {
    if (figure.name == name) return std::move(figure);
    names.push_back(std::move(figure.name));
  }
  return absl::InvalidArgumentError(
      absl::StrCat("there is no latency \"", name,
                   "\"; there are: ", absl::StrJoin(names, ", ")));
}

absl::StatusOr<LatencyTarget> ParseTarget(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> sides =
      absl::StrSplit(text, absl::MaxSplits('=', 1));
  LatencyTarget target;
  QUIRE_ASSIGN_OR_RETURN(target.figure, FindFigure(sides.first));
  if (!absl::SimpleAtod(sides.second, &target.limit_s) ||
      !std::isfinite(target.limit_s) || target.limit_s <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(target.figure.name, " is \"", sides.second,
                     "\", must be seconds above 0"));
  }
  return target;
}

}  // namespace

std::vector<LatencyFigure> LatencyFigures() {
  std::vector<LatencyFigure> figures;
  for (const auto& [latency_name, latency] : kLatencies) {
    for (const auto& [percentile_name, percentile] : kPercentiles) {
      figures.push_back({absl::StrCat(latency_name, "_", percentile_name),
                         latency, percentile});
    }
  }
  return figures;
}

absl::StatusOr<std::vector<LatencyTarget>> ParseLatencyTargets(
    const std::string& text) {
  std::vector<LatencyTarget> targets;
  for (absl::string_view part : absl::StrSplit(text, ',')) {
    QUIRE_ASSIGN_OR_RETURN(LatencyTarget target, ParseTarget(part));
    targets.push_back(std::move(target));
  }
  return targets;
}

}  // namespace quire
