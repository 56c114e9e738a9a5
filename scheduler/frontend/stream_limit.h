#ifndef QUIRE_SCHEDULER_FRONTEND_STREAM_LIMIT_H_
#define QUIRE_SCHEDULER_FRONTEND_STREAM_LIMIT_H_

#include <atomic>
#include <cstdint>

#include "absl/status/status.h"

namespace quire {

// Counts open Generate calls. The engine bounds the requests that it works on;
// a call stays open, and its output in memory, until its client has read it.
// Thread-safe.
class StreamLimit {
 public:
  explicit StreamLimit(uint32_t limit) : limit_(limit) {}

  // RESOURCE_EXHAUSTED: as many as may be are open; otherwise to be followed by
  // Leave.
  absl::Status Enter();
  void Leave() { --num_open_; }
  uint32_t num_open() const { return num_open_; }

 private:
  const uint32_t limit_;
  std::atomic<uint32_t> num_open_ = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_STREAM_LIMIT_H_
