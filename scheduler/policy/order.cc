#include "scheduler/policy/order.h"

namespace quire {

absl::Time VirtualArrival(absl::Time arrived, Priority priority,
                          absl::Duration head_start) {
  switch (priority) {
    case Priority::kLow:
      return arrived + head_start;
    case Priority::kNormal:
      break;
    case Priority::kHigh:
      return arrived - head_start;
  }
  return arrived;
}

}  // namespace quire
