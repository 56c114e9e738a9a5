#ifndef QUIRE_COMMON_PREFETCH_H_
#define QUIRE_COMMON_PREFETCH_H_

#include <cstddef>

namespace quire {

// Starts to fetch an object from memory, for a loop that comes to it a few
// turns later. Worth it where thousands of objects lie scattered, and are too
// many for the cache. Any address will do; nothing is read.
template <typename T>
void Prefetch(const T* object) {
  constexpr size_t kCacheLine = 64;  // Bytes.
  const char* const bytes = reinterpret_cast<const char*>(object);
  for (size_t i = 0; i < sizeof(T); i += kCacheLine) {
    __builtin_prefetch(bytes + i);
  }
}

}  // namespace quire

#endif  // QUIRE_COMMON_PREFETCH_H_
