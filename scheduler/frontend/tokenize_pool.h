#ifndef QUIRE_SCHEDULER_FRONTEND_TOKENIZE_POOL_H_
#define QUIRE_SCHEDULER_FRONTEND_TOKENIZE_POOL_H_

#include <cstddef>
#include <functional>

#include "absl/status/status.h"
#include "scheduler/frontend/task_pool.h"

namespace quire {

struct TokenizePoolOptions {
  int num_threads = 1;
  // Requests that wait for a thread; each holds its text. Beyond:
  // RESOURCE_EXHAUSTED.
  size_t max_waiting = 64;
  // Texts up to this size are tokenized by the thread that received them, in
  // well under a millisecond: gRPC has few such threads, and a hop costs about
  // as much.
  size_t max_inline_bytes = 4096;
};

// Keeps the tokenization of long texts off gRPC's threads. Thread-safe. Its end
// waits for what was accepted.
class TokenizePool {
 public:
  explicit TokenizePool(const TokenizePoolOptions& options);

  // Runs `work`, which tokenizes `num_bytes`, before returning or later on a
  // thread of the pool. RESOURCE_EXHAUSTED: too many wait; `work` will not run.
  absl::Status Run(size_t num_bytes, std::function<void()> work);

 private:
  const TokenizePoolOptions options_;
  TaskPool pool_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_TOKENIZE_POOL_H_
