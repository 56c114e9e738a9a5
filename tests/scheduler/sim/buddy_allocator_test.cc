#include "scheduler/sim/buddy_allocator.h"

#include <bit>
#include <map>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "scheduler/sim/random_stream.h"

namespace quire {
namespace {

TEST(BuddyAllocatorTest, ARangeIsAPowerOfTwo) {
  BuddyAllocator slots(16);
  EXPECT_EQ(slots.Allocate(5), 0);
  EXPECT_EQ(slots.num_allocated(), 8);
  EXPECT_EQ(slots.Allocate(9), std::nullopt);
  EXPECT_EQ(slots.Allocate(1), 8);
  EXPECT_EQ(slots.Allocate(2), 10);
  EXPECT_EQ(slots.Allocate(1), 9);
}

TEST(BuddyAllocatorTest, HalvesJoinAgain) {
  BuddyAllocator slots(8);
  const uint64_t a = *slots.Allocate(4);
  const uint64_t b = *slots.Allocate(2);
  slots.Free(a, 4);
  EXPECT_EQ(slots.Allocate(8), std::nullopt);
  slots.Free(b, 2);
  EXPECT_EQ(slots.Allocate(8), 0);
}

TEST(BuddyAllocatorTest, MemoryNeedNotBeAPowerOfTwo) {
  BuddyAllocator slots(15'728);
  int num_ranges = 0;
  while (slots.Allocate(2048).has_value()) ++num_ranges;
  EXPECT_EQ(num_ranges, 7);
  EXPECT_TRUE(slots.CanEverAllocate(8192));
  EXPECT_FALSE(slots.CanEverAllocate(8193));
}

// A range is free in a map of single slots, its size a power of two, its place
// a multiple of it; one is given wherever such a place is free.
TEST(BuddyAllocatorTest, AgreesWithAMapOfSlots) {
  constexpr uint64_t kSlots = 200;
  RandomStream random(3);
  BuddyAllocator slots(kSlots);
  std::vector<bool> taken(kSlots);
  std::map<uint64_t, uint64_t> held;
  const auto is_free = [&](uint64_t first, uint64_t size) {
    for (uint64_t i = first; i < first + size; ++i) {
      if (i >= kSlots || taken[i]) return false;
    }
    return true;
  };
  const auto mark = [&](uint64_t first, uint64_t size, bool value) {
    for (uint64_t i = first; i < first + size; ++i) taken[i] = value;
  };
  for (int step = 0; step < 5000; ++step) {
    if (random.Uniform() < 0.5 && !held.empty()) {
      auto victim = held.begin();
      std::advance(victim, random.UniformInt(0, held.size() - 1));
      slots.Free(victim->first, victim->second);
      mark(victim->first, std::bit_ceil(victim->second), false);
      held.erase(victim);
      continue;
    }
    const uint64_t wanted = random.UniformInt(1, 40);
    const uint64_t size = std::bit_ceil(wanted);
    bool exists = false;
    for (uint64_t i = 0; i < kSlots; i += size) exists |= is_free(i, size);
    const std::optional<uint64_t> first = slots.Allocate(wanted);
    ASSERT_EQ(first.has_value(), exists) << "at step " << step;
    if (!first.has_value()) continue;
    ASSERT_EQ(*first % size, 0);
    ASSERT_TRUE(is_free(*first, size));
    mark(*first, size, true);
    held[*first] = wanted;
  }
}

}  // namespace
}  // namespace quire
