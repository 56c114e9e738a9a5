#include "client/trace_file.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/json_fields.h"
#include "client/json_lines.h"
#include "common/check_range.h"
#include "common/status_macros.h"

namespace quire {
namespace {

using Json = nlohmann::json;

constexpr double kMaxArrivalSeconds = 7 * 24 * 3600;
// Of a prompt, an output, and the sequences of a request: beyond them a figure
// is a typo.
constexpr uint32_t kMaxTokens = 1 << 20;
constexpr uint32_t kMaxSequences = 1024;

absl::StatusOr<uint32_t> CountBelow(const Json& line, const std::string& name,
                                    uint32_t largest) {
  QUIRE_ASSIGN_OR_RETURN(const uint32_t count,
                         CountField(line, name, /*smallest=*/1));
  QUIRE_RETURN_IF_ERROR(CheckRange(name.c_str(), count, 1, largest));
  return count;
}

absl::Status ReadPrompt(const Json& line, TraceRequest& request) {
  if (!line.contains("prompt_ids")) {
    QUIRE_ASSIGN_OR_RETURN(request.prompt_tokens,
                           CountBelow(line, "prompt_tokens", kMaxTokens));
    return absl::OkStatus();
  }
  QUIRE_ASSIGN_OR_RETURN(request.prompt_ids, TokenIdsField(line, "prompt_ids"));
  request.prompt_tokens = static_cast<uint32_t>(request.prompt_ids.size());
  if (request.prompt_tokens > 0) return absl::OkStatus();
  return absl::InvalidArgumentError("prompt_ids is empty");
}

// What a prompt whose ids are not known begins with.
absl::Status ReadSharing(const Json& line, TraceRequest& request) {
  if (!line.contains("shared_tokens")) return absl::OkStatus();
  if (!request.prompt_ids.empty()) {
    return absl::InvalidArgumentError(
        "shared_tokens stands beside prompt_ids, which say what is shared");
  }
  QUIRE_ASSIGN_OR_RETURN(
      request.shared_tokens,
      CountBelow(line, "shared_tokens", request.prompt_tokens));
  if (!line.contains("group")) return absl::OkStatus();
  QUIRE_ASSIGN_OR_RETURN(request.group,
                         CountField(line, "group", /*smallest=*/0));
  return absl::OkStatus();
}

absl::StatusOr<TraceRequest> ToRequest(const Json& line) {
  TraceRequest request;
  QUIRE_ASSIGN_OR_RETURN(const double arrival_s,
                         NumberField(line, "arrival_s", 0, kMaxArrivalSeconds));
  request.arrival = absl::Seconds(arrival_s);
  QUIRE_RETURN_IF_ERROR(ReadPrompt(line, request));
  const bool is_workload = line.contains("max_tokens");
  QUIRE_ASSIGN_OR_RETURN(
      request.output_tokens,
      CountBelow(line, is_workload ? "max_tokens" : "output_tokens",
                 kMaxTokens));
  if (line.contains("n")) {
    QUIRE_ASSIGN_OR_RETURN(request.num_sequences,
                           CountBelow(line, "n", kMaxSequences));
  }
  QUIRE_RETURN_IF_ERROR(ReadSharing(line, request));
  return request;
}

}  // namespace

absl::StatusOr<Trace> ReadTrace(std::istream& in) {
  Trace trace;
  QUIRE_RETURN_IF_ERROR(
      ForEachJsonLine(in, [&](const Json& line) -> absl::Status {
        QUIRE_ASSIGN_OR_RETURN(TraceRequest request, ToRequest(line));
        trace.push_back(std::move(request));
        return absl::OkStatus();
      }));
  if (trace.empty()) {
    return absl::InvalidArgumentError("the trace has no requests");
  }
  std::stable_sort(
      trace.begin(), trace.end(),
      [](const auto& a, const auto& b) { return a.arrival < b.arrival; });
  return trace;
}

}  // namespace quire
