#include "scheduler/engine/deadline_watch.h"

namespace quire {

void DeadlineWatch::Set(RequestId request, absl::Time time) {
  const auto before = times_.find(request);
  if (before != times_.end()) {
    order_.erase({before->second, request});
    times_.erase(before);
  }
  if (time == absl::InfiniteFuture()) return;
  times_.emplace(request, time);
  order_.emplace(time, request);
}

}  // namespace quire
