#include "scheduler/engine/engine.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "absl/synchronization/notification.h"
#include "common/check.h"
#include "scheduler/engine/engine_event.h"
#include "scheduler/engine/engine_loop.h"
#include "scheduler/engine/inbox.h"

namespace quire {
namespace {

// The longest the engine thread waits: its sign of life is no older.
constexpr absl::Duration kHeartbeat = absl::Milliseconds(250);

// A moment that one thread writes and others read.
class AtomicTime {
 public:
  explicit AtomicTime(absl::Time time) { Set(time); }
  void Set(absl::Time time) { ns_ = absl::ToUnixNanos(time); }
  absl::Time Get() const { return absl::FromUnixNanos(ns_); }

 private:
  std::atomic<int64_t> ns_;
};

}  // namespace

// The thread, the turn, and what is shared with others; what a turn does is
// EngineLoop's.
class Engine::Impl {
 public:
  Impl(const EngineOptions& options, const Clock* clock,
       MetricRegistry* metrics)
      : clock_(clock),
        loop_(options, clock, metrics, &inbox_),
        heartbeat_(clock->Now()),
        waiting_since_(absl::InfiniteFuture()) {}

  ~Impl() {
    Push(StopEvent());
    if (thread_.joinable()) {
      thread_.join();
    } else {
      Turn();
    }
  }

  void Start() {
    QUIRE_CHECK(!started_);
    started_ = true;
    thread_ = std::thread([this] { Run(); });
  }

  bool Turn() {
    std::lock_guard<std::mutex> lock(turn_);
    return TurnLocked();
  }

  void TakeTurns() {
    if (!started_) return;
    // Who has the turn may have looked into the inbox for the last time.
    if (!turn_.try_lock()) return inbox_.Wake();
    TurnUntilIdle();
    turn_.unlock();
  }

  void Push(EngineEvent event) { inbox_.Push(std::move(event)); }
  void Leave(EngineEvent event) { inbox_.Leave(std::move(event)); }

  EngineSnapshot Snapshot(bool with_blocks) {
    if (!started_) {
      std::lock_guard<std::mutex> lock(turn_);
      return loop_.Snapshot(with_blocks);
    }
    EngineSnapshot snapshot;
    absl::Notification taken;
    Push(SnapshotEvent{with_blocks, &snapshot, &taken});
    taken.WaitForNotification();
    return snapshot;
  }

  absl::Time heartbeat() const { return heartbeat_.Get(); }
  absl::Time waiting_since() const { return waiting_since_.Get(); }
  absl::Time Now() const { return clock_->Now(); }

 private:
  void Run() {
    while (const std::optional<absl::Duration> rest = Work()) {
      inbox_.Wait(*rest);
    }
  }

  // How long nothing will be to do unless an event comes; none: for ever. An
  // event that another thread handles meanwhile can bring a moment forward, but
  // whoever pushed it has ended the wait.
  std::optional<absl::Duration> Work() {
    std::lock_guard<std::mutex> lock(turn_);
    TurnUntilIdle();
    if (loop_.stopped()) return std::nullopt;
    return std::clamp(loop_.wake_time() - clock_->Now(), absl::ZeroDuration(),
                      kHeartbeat);
  }

  void TurnUntilIdle() {
    while (!loop_.stopped() && TurnLocked()) {
    }
  }

  bool TurnLocked() {
    const bool moved = loop_.Turn();
    heartbeat_.Set(clock_->Now());
    waiting_since_.Set(loop_.waiting_since());
    return moved;
  }

  const Clock* const clock_;
  Inbox<EngineEvent> inbox_;
  // Of the standard library, whose locks the thread sanitizer sees.
  std::mutex turn_;  // Guards loop_.
  EngineLoop loop_;
  AtomicTime heartbeat_;
  AtomicTime waiting_since_;
  std::atomic<bool> started_ = false;
  std::thread thread_;
};

Engine::Engine(const EngineOptions& options, const Clock* clock,
               MetricRegistry* metrics)
    : impl_(std::make_unique<Impl>(options, clock, metrics)) {}

Engine::~Engine() = default;

void Engine::Start() { impl_->Start(); }

bool Engine::RunOnce() { return impl_->Turn(); }

void Engine::Submit(GenerationRequest request) {
  impl_->Push(SubmitEvent{std::move(request)});
}

void Engine::Cancel(RequestId id) { impl_->Push(CancelEvent{id}); }

void Engine::OnGroupReady(GroupShape shape, std::shared_ptr<GroupLink> link) {
  impl_->Push(GroupReadyEvent{shape, std::move(link)});
}

void Engine::OnResult(Rank rank, worker::v1::StepResult result) {
  impl_->Leave(ResultEvent{rank, std::move(result)});
}

void Engine::TakeTurns() { impl_->TakeTurns(); }

void Engine::OnGroupLost(Epoch epoch) { impl_->Push(GroupLostEvent{epoch}); }

void Engine::Drain(absl::Time limit, std::function<void()> done) {
  impl_->Push(DrainEvent{limit, std::move(done)});
}

void Engine::DropPrefixes() { impl_->Push(DropPrefixesEvent()); }

EngineSnapshot Engine::Snapshot(bool with_blocks) {
  return impl_->Snapshot(with_blocks);
}

absl::Time Engine::last_heartbeat() const { return impl_->heartbeat(); }

bool Engine::IsStuck(absl::Duration limit) const {
  return impl_->Now() - impl_->waiting_since() > limit;
}

}  // namespace quire
