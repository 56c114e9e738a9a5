#include "worker/link/redial_backoff.h"

#include <algorithm>

namespace quire {

RedialBackoff::RedialBackoff(const Options& options, uint64_t seed)
    : options_(options), range_(options.first), random_(seed) {}

absl::Duration RedialBackoff::Next() {
  const absl::Duration range = range_;
  range_ = std::min(2 * range_, options_.longest);
  return Jitter(range);
}

absl::Duration RedialBackoff::NextLongest() {
  range_ = options_.longest;
  return Jitter(range_);
}

absl::Duration RedialBackoff::Jitter(absl::Duration range) {
  return range * std::uniform_real_distribution<double>(0.5, 1.0)(random_);
}

}  // namespace quire
