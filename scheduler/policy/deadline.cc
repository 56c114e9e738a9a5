#include "scheduler/policy/deadline.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace quire {
namespace {

std::string ToMilliseconds(absl::Duration duration) {
  return absl::FormatDuration(absl::Trunc(duration, absl::Milliseconds(1)));
}

}  // namespace

absl::Duration LeastTime(const LeastWork& work, const WorkRates& rates) {
  return absl::Nanoseconds(static_cast<double>(work.prompt_rows) *
                               rates.ns_per_prompt_row.value_or(0) +
                           static_cast<double>(work.decode_steps) *
                               rates.ns_per_decode_step.value_or(0));
}

absl::Time LatestStart(absl::Time deadline, const LeastWork& work,
                       const WorkRates& rates) {
  return deadline - LeastTime(work, rates);
}

absl::Status UnmeetableError(absl::Time now, absl::Time deadline,
                             const LeastWork& work, const WorkRates& rates) {
  return absl::DeadlineExceededError(absl::StrCat(
      "the deadline cannot be met: it is in ", ToMilliseconds(deadline - now),
      ", the earliest end in ", ToMilliseconds(LeastTime(work, rates))));
}

}  // namespace quire
