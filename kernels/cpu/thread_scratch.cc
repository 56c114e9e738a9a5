#include "kernels/cpu/thread_scratch.h"

#include <cstdlib>
#include <memory>

#include "common/check.h"

namespace quire {
namespace {

struct Free {
  void operator()(std::byte* p) const { std::free(p); }
};

}  // namespace

std::byte* ThreadScratch(int64_t num_bytes) {
  thread_local std::unique_ptr<std::byte, Free> memory;
  thread_local int64_t size = 0;
  if (size < num_bytes) {
    const int64_t rounded = (num_bytes + 63) / 64 * 64;
    memory.reset(static_cast<std::byte*>(std::aligned_alloc(64, rounded)));
    QUIRE_CHECK(memory != nullptr);
    size = rounded;
  }
  return memory.get();
}

}  // namespace quire
