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
  // Pins its threads where the process has exactly num_threads of the machine's
  // processors. REQUIRES: 1 <= num_threads <= 65,535.
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

  // Runs task(part, i) once for each i in [0, count). Each part takes an even
  // share of them in ascending order, so that what one fetches ahead serves the
  // next, and who has done his share takes from the others'. So nobody waits
  // for a thread that had to leave its processor to another program. `part` is
  // as for Run.
  template <typename Task>
  void ForEach(int64_t count, const Task& task) {
    const int n = num_threads();
    for (int share = 0; share < n; ++share) {
      NextOf(share).store(count * share / n, std::memory_order_relaxed);
    }
    Run([&](int part) {
      for (int other = 0; other < n; ++other) {
        const int share = (part + other) % n;
        const int64_t end = count * (share + 1) / n;
        for (int64_t i; (i = NextOf(share).fetch_add(
                             1, std::memory_order_relaxed)) < end;) {
          task(part, i);
        }
      }
    });
  }

  // Runs task(begin, end) on parts of [0, count) that together are all of it:
  // pieces of this size, and what is left, as ForEach runs them. What is begun
  // once for each piece must be cheap beside it.
  template <typename Task>
  void ParallelForPieces(int64_t count, int64_t piece, const Task& task) {
    ForEach((count + piece - 1) / piece, [&](int, int64_t i) {
      task(i * piece, std::min((i + 1) * piece, count));
    });
  }

  // Runs task(part, begin, end) on even pieces, one for each part.
  template <typename Task>
  void ParallelForParts(int64_t count, const Task& task) {
    const int n = num_threads();
    Run([&](int part) {
      const int64_t begin = count * part / n;
      const int64_t end = count * (part + 1) / n;
      if (begin < end) task(part, begin, end);
    });
  }
  // The same for who need not know the part: task(begin, end).
  template <typename Task>
  void ParallelFor(int64_t count, const Task& task) {
    ParallelForParts(
        count, [&](int, int64_t begin, int64_t end) { task(begin, end); });
  }

 private:
  // What is to be taken next of a share.
  std::atomic<int64_t>& NextOf(int share);
  void RunErased(void (*call)(const void* task, int part), const void* task);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quire

#endif  // QUIRE_WORKER_EXECUTOR_THREAD_POOL_H_
