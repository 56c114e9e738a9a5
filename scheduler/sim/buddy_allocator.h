#ifndef QUIRE_SCHEDULER_SIM_BUDDY_ALLOCATOR_H_
#define QUIRE_SCHEDULER_SIM_BUDDY_ALLOCATOR_H_

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace quire {

// Contiguous ranges of slots by the buddy system (Knowlton, 1965): each has a
// power of two of slots and begins at a multiple of its size. A range is split
// in halves as long as half would do, and halves join again when both are free.
// The lowest address comes first. One thread.
class BuddyAllocator {
 public:
  explicit BuddyAllocator(uint64_t num_slots);

  // The first slot of a free range of RangeSize(num_slots); nothing: there is
  // none. REQUIRES: num_slots > 0.
  std::optional<uint64_t> Allocate(uint64_t num_slots);
  // REQUIRES: Allocate(num_slots) gave `first`.
  void Free(uint64_t first, uint64_t num_slots);

  // The slots that a request for `num_slots` takes.
  static uint64_t RangeSize(uint64_t num_slots);
  // Whether a range of that size exists when all is free.
  bool CanEverAllocate(uint64_t num_slots) const;
  uint64_t num_allocated() const { return num_allocated_; }

 private:
  const uint64_t num_slots_;
  uint64_t num_allocated_ = 0;
  std::vector<std::set<uint64_t>> free_;  // First slots, by log2 of the size.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_BUDDY_ALLOCATOR_H_
