#ifndef QUIRE_SCHEDULER_FRONTEND_TASK_POOL_H_
#define QUIRE_SCHEDULER_FRONTEND_TASK_POOL_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace quire {

// A few threads that run tasks, first in first out, behind a bounded queue.
// Thread-safe.
class TaskPool {
 public:
  // REQUIRES: num_threads > 0.
  TaskPool(int num_threads, size_t max_waiting);
  // Runs what waits, then ends the threads. No task may be added any more.
  ~TaskPool();

  TaskPool(const TaskPool&) = delete;
  TaskPool& operator=(const TaskPool&) = delete;

  // Returns at once. False: max_waiting tasks wait already, and `task` will not
  // run.
  bool TryRun(std::function<void()> task);

 private:
  void Work();

  const size_t max_waiting_;
  absl::Mutex mutex_;
  absl::CondVar changed_;
  std::deque<std::function<void()>> waiting_ ABSL_GUARDED_BY(mutex_);
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_TASK_POOL_H_
