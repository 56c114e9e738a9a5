#include "scheduler/frontend/stream_limit.h"

#include "absl/strings/str_cat.h"

namespace quire {

absl::Status StreamLimit::Enter() {
  if (++num_open_ <= limit_) return absl::OkStatus();
  Leave();
  return absl::ResourceExhaustedError(
      absl::StrCat(limit_,
                   " Generate calls are open, as many as may be; one that has "
                   "ended stays open until its client has read it"));
}

}  // namespace quire
