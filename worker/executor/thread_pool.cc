#include "worker/executor/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "common/check.h"
#include "common/spin.h"

namespace quire {
namespace {

// Waits for a number to change: spins, because the other threads of a step are
// mostly a few microseconds behind, then sleeps. Always for the same time: to
// spin for less after it was in vain cost a sixth of a single stream's speed,
// since one thread of another process that comes between made the next barriers
// sleep too.
class Waiter {
 public:
  explicit Waiter(bool may_spin) : may_spin_(may_spin) {}

  // Returns once `value` is no longer `old`, with what was written before.
  void WaitWhileEqual(const std::atomic<uint32_t>& value, uint32_t old) const {
    const auto has_changed = [&] {
      return value.load(std::memory_order_acquire) != old;
    };
    if (may_spin_ && SpinUntil(has_changed)) return;
    value.wait(old, std::memory_order_acquire);
  }

 private:
  bool may_spin_;
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
// somebody set aside for this process. The first is left to the calling thread,
// which is not pinned. On processors that it shares with others
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

// Which part of a task is to be taken next. Whoever has taken one keeps the
// task from ending, and tickets of an earlier task buy nothing.
struct Tickets {
  uint32_t generation;
  uint16_t num_parts;
  uint16_t next_part;
};

}  // namespace

// A task begins when `tickets` and then `generation` change, which all threads
// watch, with the task on their line. It ends when `num_done` is the number of
// its parts; that has a line of its own. A thread that another program keeps
// from its processor is waited for only if it has taken a part.
struct ThreadPool::State {
  void Work();
  // Takes parts while there are some.
  void DoParts();
  bool TakePart(int* part);

  alignas(64) std::atomic<Tickets> tickets = Tickets{};
  std::atomic<uint32_t> generation = 0;
  std::atomic<bool> stops = false;  // Set before the last generation.
  uint16_t num_threads = 1;
  // Threads that outnumber the processors need the one of whoever waits.
  bool may_spin = false;
  void (*call)(const void* task, int part) = nullptr;
  const void* task = nullptr;
  std::vector<std::thread> threads;
  struct alignas(64) Share {
    std::atomic<int64_t> next = 0;
  };
  std::vector<Share> shares;
  alignas(64) std::atomic<uint32_t> num_done = 0;
  Waiter caller{/*may_spin=*/false};
};

void ThreadPool::State::Work() {
  const Waiter waiter(may_spin);
  for (uint32_t seen = 0;;) {
    waiter.WaitWhileEqual(generation, seen);
    // Before the parts: another task may begin while this thread looks for
    // more.
    seen = generation.load(std::memory_order_acquire);
    if (stops.load(std::memory_order_relaxed)) return;
    DoParts();
  }
}

void ThreadPool::State::DoParts() {
  for (int part; TakePart(&part);) {
    call(task, part);
    num_done.fetch_add(1, std::memory_order_acq_rel);
    num_done.notify_one();
  }
}

bool ThreadPool::State::TakePart(int* part) {
  Tickets now = tickets.load(std::memory_order_acquire);
  while (now.next_part < now.num_parts) {
    Tickets then = now;
    ++then.next_part;
    if (tickets.compare_exchange_weak(now, then, std::memory_order_acq_rel,
                                      std::memory_order_acquire)) {
      *part = now.next_part;
      return true;
    }
  }
  return false;
}

ThreadPool::ThreadPool(int num_threads) : state_(std::make_unique<State>()) {
  QUIRE_CHECK(1 <= num_threads && num_threads <= UINT16_MAX);
  const std::vector<int> usable = UsableProcessors();
  state_->num_threads = static_cast<uint16_t>(num_threads);
  state_->shares = std::vector<State::Share>(num_threads);
  state_->may_spin = num_threads <= static_cast<int>(usable.size());
  state_->caller = Waiter(state_->may_spin);
  const std::vector<int> pinned = ProcessorsToPin(usable, num_threads);
  for (int i = 1; i < num_threads; ++i) {
    std::thread& thread =
        state_->threads.emplace_back([this] { state_->Work(); });
    if (!pinned.empty()) Pin(thread, pinned[i]);
  }
}

ThreadPool::~ThreadPool() {
  state_->stops.store(true, std::memory_order_relaxed);
  state_->generation.fetch_add(1, std::memory_order_release);
  state_->generation.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

int ThreadPool::num_threads() const { return state_->num_threads; }

std::atomic<int64_t>& ThreadPool::NextOf(int share) {
  return state_->shares[share].next;
}

void ThreadPool::RunErased(void (*call)(const void* task, int part),
                           const void* task) {
  State& state = *state_;
  if (state.num_threads == 1) return call(task, 0);
  state.call = call;
  state.task = task;
  state.num_done.store(0, std::memory_order_relaxed);
  const uint32_t generation =
      state.generation.load(std::memory_order_relaxed) + 1;
  state.tickets.store({generation, state.num_threads, 0},
                      std::memory_order_release);
  state.generation.store(generation, std::memory_order_release);
  state.generation.notify_all();
  state.DoParts();
  for (uint32_t done; (done = state.num_done.load(std::memory_order_acquire)) <
                      state.num_threads;) {
    state.caller.WaitWhileEqual(state.num_done, done);
  }
}

}  // namespace quire
