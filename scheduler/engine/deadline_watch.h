#ifndef QUIRE_SCHEDULER_ENGINE_DEADLINE_WATCH_H_
#define QUIRE_SCHEDULER_ENGINE_DEADLINE_WATCH_H_

#include <set>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "common/ids.h"

namespace quire {

// When to look at which request, because its deadline may have passed or have
// become one that cannot be met. Engine thread only.
class DeadlineWatch {
 public:
  // The request is looked at when `time` has come, instead of when it was to be
  // before; InfiniteFuture: never.
  void Set(RequestId request, absl::Time time);
  // It need not be watched.
  void Remove(RequestId request) { Set(request, absl::InfiniteFuture()); }

  bool empty() const { return order_.empty(); }
  // The time of the first one; InfiniteFuture: nothing is watched.
  absl::Time next_time() const {
    return empty() ? absl::InfiniteFuture() : order_.begin()->first;
  }
  // REQUIRES: something is watched.
  RequestId next() const { return order_.begin()->second; }

 private:
  std::set<std::pair<absl::Time, RequestId>> order_;
  absl::flat_hash_map<RequestId, absl::Time> times_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_DEADLINE_WATCH_H_
