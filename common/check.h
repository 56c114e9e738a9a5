#ifndef QUIRE_COMMON_CHECK_H_
#define QUIRE_COMMON_CHECK_H_

#include <cstdio>
#include <cstdlib>

// A broken invariant of our own ends the process with the place and the
// condition. What the outside world can cause is an absl::Status instead.
#define QUIRE_CHECK(condition)                                              \
  do {                                                                      \
    if (!(condition)) [[unlikely]] {                                        \
      std::fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, \
                   #condition);                                             \
      std::abort();                                                         \
    }                                                                       \
  } while (false)

#endif  // QUIRE_COMMON_CHECK_H_
