#include "client/bench_workload.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "client/json_fields.h"
#include "client/json_lines.h"
#include "common/status_macros.h"

namespace quire {
namespace {

using Json = nlohmann::json;

// A week: a run that waits longer than that for a request is a typo.
constexpr double kMaxArrivalSeconds = 7 * 24 * 3600;

absl::StatusOr<WorkloadItem> ToItem(const Json& line) {
  WorkloadItem item;
  QUIRE_ASSIGN_OR_RETURN(const double arrival_s,
                         NumberField(line, "arrival_s", 0, kMaxArrivalSeconds));
  item.arrival = absl::Seconds(arrival_s);
  QUIRE_ASSIGN_OR_RETURN(item.prompt_ids, TokenIdsField(line, "prompt_ids"));
  if (item.prompt_ids.empty()) {
    return absl::InvalidArgumentError("prompt_ids is empty");
  }
  QUIRE_ASSIGN_OR_RETURN(item.max_tokens,
                         CountField(line, "max_tokens", /*smallest=*/1));
  return item;
}

}  // namespace

absl::StatusOr<std::vector<WorkloadItem>> ReadWorkload(std::istream& in) {
  std::vector<WorkloadItem> items;
  QUIRE_RETURN_IF_ERROR(
      ForEachJsonLine(in, [&](const Json& line) -> absl::Status {
        QUIRE_ASSIGN_OR_RETURN(WorkloadItem item, ToItem(line));
        items.push_back(std::move(item));
        return absl::OkStatus();
      }));
  if (items.empty()) {
    return absl::InvalidArgumentError("the workload has no requests");
  }
  std::stable_sort(
      items.begin(), items.end(),
      [](const auto& a, const auto& b) { return a.arrival < b.arrival; });
  return items;
}

}  // namespace quire
