#include "worker/executor/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "common/check.h"

namespace quire {
namespace {

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

// Waits for a number to change: spins, because the other threads of a step are
// mostly a few microseconds behind and to wake a sleeper takes longer, then
// sleeps. Always for the same time: to spin for less after it was in vain cost
// a sixth of a single stream's speed, since one thread of another process that
// comes between made the next barriers sleep too.
class Waiter {
 public:
  explicit Waiter(bool may_spin) : num_spins_(may_spin ? kSpins : 0) {}

  // Returns once `value` is no longer `old`, with what was written before.
  void WaitWhileEqual(const std::atomic<uint32_t>& value, uint32_t old) const {
    for (int i = 0; i < num_spins_; ++i) {
      if (value.load(std::memory_order_acquire) != old) return;
      Pause();
    }
    value.wait(old, std::memory_order_acquire);
  }

 private:
  static constexpr int kSpins = 2000;  // 50 to 100 microseconds.

  int num_spins_;
};

// Processors that this process may use, ascending.
std::vector<int> UsableProcessors() {
  std::vector<int> processors;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return processors;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &set)) processors.push_back(i);
  }
  return processors;
}

// The processor for each thread, where the pool has exactly the processors that
// somebody set aside for this process. On processors that it shares with others
// a pinned thread would wait for one while another is idle.
std::vector<int> ProcessorsToPin(const std::vector<int>& usable,
                                 int num_threads) {
  const int num_usable = static_cast<int>(usable.size());
  const bool is_set_aside = num_usable < sysconf(_SC_NPROCESSORS_ONLN);
  return is_set_aside && num_usable == num_threads ? usable
                                                   : std::vector<int>();
}

void Pin(std::thread& thread, int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  pthread_setaffinity_np(thread.native_handle(), sizeof(set), &set);
}

}  // namespace

// A task begins when `generation` changes and ends when `num_running` is 0. All
// threads watch the one, with the task on its line, while they count down the
// other, which therefore has a line of its own.
struct ThreadPool::State {
  void Work(int thread);

  alignas(64) std::atomic<uint32_t> generation = 0;
  bool stops = false;
  int num_threads = 1;
  // Threads that outnumber the processors need the one of whoever waits.
  bool may_spin = false;
  void (*call)(const void* task, int thread) = nullptr;
  const void* task = nullptr;
  std::vector<std::thread> threads;
  alignas(64) std::atomic<uint32_t> num_running = 0;
  Waiter caller{/*may_spin=*/false};
};

void ThreadPool::State::Work(int thread) {
  const Waiter waiter(may_spin);
  for (uint32_t seen = 0;; ++seen) {
    waiter.WaitWhileEqual(generation, seen);
    if (stops) return;
    call(task, thread);
    if (num_running.fetch_sub(1, std::memory_order_acq_rel) == 1)
      num_running.notify_one();
  }
}

ThreadPool::ThreadPool(int num_threads) : state_(std::make_unique<State>()) {
  QUIRE_CHECK(num_threads >= 1);
  const std::vector<int> usable = UsableProcessors();
  state_->num_threads = num_threads;
  state_->may_spin = num_threads <= static_cast<int>(usable.size());
  state_->caller = Waiter(state_->may_spin);
  const std::vector<int> pinned = ProcessorsToPin(usable, num_threads);
  for (int i = 1; i < num_threads; ++i) {
    std::thread& thread =
        state_->threads.emplace_back([this, i] { state_->Work(i); });
    if (!pinned.empty()) Pin(thread, pinned[i]);
  }
}

ThreadPool::~ThreadPool() {
  state_->stops = true;
  state_->generation.fetch_add(1, std::memory_order_release);
  state_->generation.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

int ThreadPool::num_threads() const { return state_->num_threads; }

void ThreadPool::RunErased(void (*call)(const void* task, int thread),
                           const void* task) {
  State& state = *state_;
  if (state.num_threads > 1) {
    state.call = call;
    state.task = task;
    state.num_running.store(state.num_threads - 1, std::memory_order_relaxed);
    state.generation.fetch_add(1, std::memory_order_release);
    state.generation.notify_all();
  }
  call(task, 0);
  for (uint32_t left;
       (left = state.num_running.load(std::memory_order_acquire)) != 0;) {
    state.caller.WaitWhileEqual(state.num_running, left);
  }
}

}  // namespace quire
