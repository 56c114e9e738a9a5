#include "client/bench_workload.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/json_lines.h"
#include "common/status_macros.h"

namespace quire {
namespace {

using Json = nlohmann::json;

absl::Status FieldError(const std::string& field, const char* wanted) {
  return absl::InvalidArgumentError(
      absl::StrCat("\"", field, "\" is not ", wanted));
}

absl::StatusOr<absl::Duration> ArrivalOf(const Json& line) {
  const auto arrival = line.find("arrival_s");
  if (arrival == line.end() || !arrival->is_number() ||
      arrival->get<double>() < 0) {
    return FieldError("arrival_s", "a number of seconds");
  }
  return absl::Seconds(arrival->get<double>());
}

absl::StatusOr<std::vector<Token>> PromptOf(const Json& line) {
  const auto ids = line.find("prompt_ids");
  if (ids == line.end() || !ids->is_array() || ids->empty() ||
      !std::all_of(ids->begin(), ids->end(),
                   [](const Json& id) { return id.is_number_integer(); })) {
    return FieldError("prompt_ids", "a list of token ids");
  }
  return ids->get<std::vector<Token>>();
}

absl::StatusOr<uint32_t> MaxTokensOf(const Json& line) {
  const auto max_tokens = line.find("max_tokens");
  if (max_tokens == line.end() || !max_tokens->is_number_unsigned()) {
    return FieldError("max_tokens", "a number of tokens");
  }
  return max_tokens->get<uint32_t>();
}

absl::StatusOr<WorkloadItem> ToItem(const Json& line) {
  WorkloadItem item;
  QUIRE_ASSIGN_OR_RETURN(item.arrival, ArrivalOf(line));
  QUIRE_ASSIGN_OR_RETURN(item.prompt_ids, PromptOf(line));
  QUIRE_ASSIGN_OR_RETURN(item.max_tokens, MaxTokensOf(line));
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
