#ifndef QUIRE_SCHEDULER_POLICY_ORDER_H_
#define QUIRE_SCHEDULER_POLICY_ORDER_H_

#include <cstdint>

#include "absl/time/time.h"

namespace quire {

// How much it matters that a request is served soon.
enum class Priority { kLow, kNormal, kHigh };

// What decides a request's place, among those that wait and those that run.
struct PlaceInOrder {
  absl::Time virtual_arrival;  // See VirtualArrival.
  uint64_t arrival = 0;  // Ascending in the order of arrival, never repeated.
};

// When a request that came at `arrived` counts as having come: a high priority
// is a head start before the normal one, and a low one as much of a delay. So
// the order is settled when a request arrives. Whoever waits is passed only by
// those of a higher priority that arrive within the head start (low by high:
// within two), and then by nobody: none starves, and none has to be lifted as
// it grows older. An infinite head start is a strict order of priorities, which
// may starve.
absl::Time VirtualArrival(absl::Time arrived, Priority priority,
                          absl::Duration head_start);

// Whether `a` is served before `b`: first come, first served, in virtual
// arrivals. A place never changes, so a preempted request returns to the place
// it had, before all that came after it. A strict total order.
inline bool ServedBefore(const PlaceInOrder& a, const PlaceInOrder& b) {
  return a.virtual_arrival != b.virtual_arrival
             ? a.virtual_arrival < b.virtual_arrival
             : a.arrival < b.arrival;
}

}  // namespace quire

#endif  // QUIRE_SCHEDULER_POLICY_ORDER_H_
