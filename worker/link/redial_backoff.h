#ifndef QUIRE_WORKER_LINK_REDIAL_BACKOFF_H_
#define QUIRE_WORKER_LINK_REDIAL_BACKOFF_H_

#include <cstdint>
#include <random>

#include "absl/time/time.h"

namespace quire {

// Pauses between two attempts to attach: they double from `first` to `longest`
// and each is drawn from the upper half of its range, so that the ranks of a
// group do not all dial at once. Not thread-safe.
class RedialBackoff {
 public:
  struct Options {
    absl::Duration first = absl::Milliseconds(100);
    absl::Duration longest = absl::Seconds(5);
  };

  RedialBackoff(const Options& options, uint64_t seed);

  // After an attempt that may well succeed next time.
  absl::Duration Next();
  // After one that succeeds only once somebody has changed something.
  absl::Duration NextLongest();
  // After an attempt that succeeded: the next pause is short again.
  void Reset() { range_ = options_.first; }

 private:
  absl::Duration Jitter(absl::Duration range);

  const Options options_;
  absl::Duration range_;
  std::mt19937_64 random_;
};

}  // namespace quire

#endif  // QUIRE_WORKER_LINK_REDIAL_BACKOFF_H_
