#ifndef QUIRE_WORKER_EXECUTOR_THREAD_POOL_H_
#define QUIRE_WORKER_EXECUTOR_THREAD_POOL_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

namespace quire {

// The threads of a worker's step: the calling thread and num_threads - 1
// others, which spin briefly for the next task and then sleep. Not reentrant;
// one thread calls it.
class ThreadPool {
 public:
  // REQUIRES: num_threads >= 1.
  explicit ThreadPool(int num_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const;

  // Runs task(part) once for each part 0 .. num_threads() - 1 and returns when
  // all are done. Every thread takes a part, or none, where others are faster
  // because it is kept from its processor. What was written is visible to the
  // caller. Allocates nothing.
  template <typename Task>
  void Run(const Task& task) {
    RunErased(
        [](const void* t, int part) { (*static_cast<const Task*>(t))(part); },
        &task);
  }

  // Runs task(begin, end) on parts of [0, count) that together are all of it:
  // pieces of this size, and what is left, whoever is free taking the next. So
  // nobody waits for a thread that had to leave its processor to another
  // program. What is begun once for each piece must be cheap beside it.
  template <typename Task>
  void ParallelForPieces(int64_t count, int64_t piece, const Task& task) {
    std::atomic<int64_t> next = 0;
    Run([&](int) {
      for (int64_t begin; (begin = next.fetch_add(
                               piece, std::memory_order_relaxed)) < count;) {
        task(begin, std::min(begin + piece, count));
      }
    });
  }

  // The same in even pieces, as many as there are threads.
  template <typename Task>
  void ParallelFor(int64_t count, const Task& task) {
    const int n = num_threads();
    Run([&](int thread) {
      const int64_t begin = count * thread / n;
      const int64_t end = count * (thread + 1) / n;
      if (begin < end) task(begin, end);
    });
  }

 private:
  void RunErased(void (*call)(const void* task, int part), const void* task);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quire

#endif  // QUIRE_WORKER_EXECUTOR_THREAD_POOL_H_
