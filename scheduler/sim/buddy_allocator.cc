#include "scheduler/sim/buddy_allocator.h"

#include <bit>

#include "common/check.h"

namespace quire {
namespace {

int OrderOf(uint64_t num_slots) { return std::bit_width(num_slots - 1); }

}  // namespace

// Any number of slots is a sum of powers of two: the largest one lies first, so
// that each begins at a multiple of its size.
BuddyAllocator::BuddyAllocator(uint64_t num_slots)
    : num_slots_(num_slots), free_(std::bit_width(num_slots)) {
  uint64_t first = 0;
  for (int order = std::bit_width(num_slots) - 1; order >= 0; --order) {
    const uint64_t size = uint64_t{1} << order;
    if ((num_slots & size) == 0) continue;
    free_[order].insert(first);
    first += size;
  }
}

uint64_t BuddyAllocator::RangeSize(uint64_t num_slots) {
  return std::bit_ceil(num_slots);
}

bool BuddyAllocator::CanEverAllocate(uint64_t num_slots) const {
  return RangeSize(num_slots) <= num_slots_;
}

std::optional<uint64_t> BuddyAllocator::Allocate(uint64_t num_slots) {
  QUIRE_CHECK(num_slots > 0);
  const size_t wanted = OrderOf(num_slots);
  size_t order = wanted;
  while (order < free_.size() && free_[order].empty()) ++order;
  if (order >= free_.size()) return std::nullopt;
  const uint64_t first = free_[order].extract(free_[order].begin()).value();
  while (order > wanted) {
    --order;
    free_[order].insert(first + (uint64_t{1} << order));
  }
  num_allocated_ += RangeSize(num_slots);
  return first;
}

void BuddyAllocator::Free(uint64_t first, uint64_t num_slots) {
  num_allocated_ -= RangeSize(num_slots);
  size_t order = OrderOf(num_slots);
  while (free_[order].erase(first ^ (uint64_t{1} << order)) > 0) {
    first &= ~(uint64_t{1} << order);
    ++order;
  }
  QUIRE_CHECK(free_[order].insert(first).second);
}

}  // namespace quire
