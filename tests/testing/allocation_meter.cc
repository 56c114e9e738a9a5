#include "tests/testing/allocation_meter.h"

#include <algorithm>
#include <cstdlib>
#include <new>

namespace quire::testing {
namespace {

thread_local size_t largest_on_this_thread = 0;

void* Allocate(size_t num_bytes) {
  largest_on_this_thread = std::max(largest_on_this_thread, num_bytes);
  void* memory = std::malloc(std::max<size_t>(num_bytes, 1));
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

AllocationMeter::AllocationMeter() { largest_on_this_thread = 0; }

size_t AllocationMeter::largest_bytes() const { return largest_on_this_thread; }

}  // namespace quire::testing

void* operator new(size_t num_bytes) {
  return quire::testing::Allocate(num_bytes);
}
void* operator new[](size_t num_bytes) {
  return quire::testing::Allocate(num_bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
