#include "scheduler/engine/engine_options.h"

#include "absl/strings/str_cat.h"
#include "common/check_range.h"
#include "common/status_macros.h"

namespace quire {
absl::Status EngineOptions::Validate() const {
  constexpr uint64_t kMany = 1 << 20;
  QUIRE_RETURN_IF_ERROR(
      CheckRange("max_step_tokens", max_step_tokens, 1, kMany));
  QUIRE_RETURN_IF_ERROR(
      CheckRange("max_running_sequences", max_running_sequences, 1, kMany));
  QUIRE_RETURN_IF_ERROR(CheckRange("pipeline_depth", pipeline_depth, 1, 2));
  QUIRE_RETURN_IF_ERROR(CheckRange("draft_tokens", draft_tokens, 0, 64));
  QUIRE_RETURN_IF_ERROR(
      CheckRange("max_waiting_requests", max_waiting_requests, 1, kMany));
  if (priority_head_start < absl::ZeroDuration()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "priority_head_start is ", absl::FormatDuration(priority_head_start),
        ", must be at least 0"));
  }
  return CheckRange("max_waiting_tokens", max_waiting_tokens, 1,
                    uint64_t{1} << 40);
}

}  // namespace quire
