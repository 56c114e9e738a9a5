#ifndef QUIRE_SCHEDULER_POLICY_ORDER_H_
#define QUIRE_SCHEDULER_POLICY_ORDER_H_

#include <cstdint>

namespace quire {

// What decides a request's place, among those that wait and those that run.
struct PlaceInOrder {
  uint64_t arrival = 0;  // Ascending in the order of arrival, never repeated.
};

// Whether `a` is served before `b`: first come, first served. A place never
// changes, so a preempted request returns to the place it had, before all that
// came after it. A strict total order.
constexpr bool ServedBefore(const PlaceInOrder& a, const PlaceInOrder& b) {
  return a.arrival < b.arrival;
}

}  // namespace quire

#endif  // QUIRE_SCHEDULER_POLICY_ORDER_H_
