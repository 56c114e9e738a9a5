#include "scheduler/policy/deadline.h"

#include "absl/strings/str_cat.h"

namespace quire {
namespace {

constexpr absl::Duration kShown = absl::Milliseconds(1);

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
  // Rounded away from each other, so that the two do not look the same.
  return absl::DeadlineExceededError(absl::StrCat(
      "the deadline cannot be met: it is in ",
      absl::FormatDuration(absl::Floor(deadline - now, kShown)),
      ", the earliest end in ",
      absl::FormatDuration(absl::Ceil(LeastTime(work, rates), kShown))));
}

}  // namespace quire
