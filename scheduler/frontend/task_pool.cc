#include "scheduler/frontend/task_pool.h"

#include <utility>

#include "common/check.h"

namespace quire {

TaskPool::TaskPool(int num_threads, size_t max_waiting)
    : max_waiting_(max_waiting) {
  QUIRE_CHECK(num_threads > 0);
  for (int i = 0; i < num_threads; ++i)
    threads_.emplace_back([this] { Work(); });
}

TaskPool::~TaskPool() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    changed_.SignalAll();
  }
  for (std::thread& thread : threads_) thread.join();
}

bool TaskPool::TryRun(std::function<void()> task) {
  absl::MutexLock lock(&mutex_);
  if (waiting_.size() >= max_waiting_) return false;
  waiting_.push_back(std::move(task));
  changed_.Signal();
  return true;
}

void TaskPool::Work() {
  while (true) {
    std::function<void()> task;
    {
      absl::MutexLock lock(&mutex_);
      while (waiting_.empty() && !stopping_) changed_.Wait(&mutex_);
      if (waiting_.empty()) return;
      task = std::move(waiting_.front());
      waiting_.pop_front();
    }
    task();
  }
}

}  // namespace quire
