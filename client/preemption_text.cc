#include "client/preemption_text.h"

#include "absl/strings/str_cat.h"
#include "client/units.h"

namespace quire {

std::string PreemptionsText(const quire::v1::StatusResponse& status) {
  const std::string count =
      absl::StrCat(FormatCount(status.preemptions()), " preemptions");
  if (status.preemptions() == 0) return count;
  return absl::StrCat(count, " ", PreemptionCostText(status));
}

std::string PreemptionCostText(const quire::v1::StatusResponse& status) {
  return absl::StrCat("(", FormatCount(status.swap_preemptions()),
                      " by swapping, ", FormatCount(status.recomputed_tokens()),
                      " tokens computed again)");
}

std::string HostBlocksText(const quire::v1::StatusResponse& status) {
  if (status.blocks().host_total() == 0) return "";
  return absl::StrCat(FormatCount(status.blocks().host_used()), " used of ",
                      FormatCount(status.blocks().host_total()), ", ",
                      FormatCount(status.blocks_swapped_out()),
                      " blocks swapped out and ",
                      FormatCount(status.blocks_swapped_in()), " in");
}

}  // namespace quire
