#ifndef QUIRE_COMMON_SPIN_H_
#define QUIRE_COMMON_SPIN_H_

namespace quire {

// Asks `is_done` again and again for 50 to 100 microseconds, for what is mostly
// a few microseconds away, while to sleep and be woken takes longer. Returns
// what it said last.
template <typename IsDone>
bool SpinUntil(const IsDone& is_done) {
  constexpr int kSpins = 2000;
  for (int i = 0; i < kSpins; ++i) {
    if (is_done()) return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return false;
}

}  // namespace quire

#endif  // QUIRE_COMMON_SPIN_H_
