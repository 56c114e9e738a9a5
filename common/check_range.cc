#include "common/check_range.h"

#include "absl/strings/str_cat.h"

namespace quire {

absl::Status CheckRange(const char* name, uint64_t value, uint64_t smallest,
                        uint64_t largest) {
  if (value >= smallest && value <= largest) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      name, " is ", value, ", must be ", smallest, " to ", largest));
}

}  // namespace quire
