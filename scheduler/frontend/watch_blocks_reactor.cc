#include "scheduler/frontend/watch_blocks_reactor.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "scheduler/frontend/field_error.h"

namespace quire {
namespace {

constexpr uint32_t kMinIntervalMs = 50;
constexpr uint32_t kMaxIntervalMs = 60'000;
constexpr uint32_t kDefaultIntervalMs = 500;

}  // namespace

absl::StatusOr<absl::Duration> WatchInterval(
    const v1::WatchBlocksRequest& request) {
  const uint32_t interval_ms =
      request.has_interval_ms() ? request.interval_ms() : kDefaultIntervalMs;
  if (interval_ms >= kMinIntervalMs && interval_ms <= kMaxIntervalMs)
    return absl::Milliseconds(interval_ms);
  return FieldError(
      "interval_ms", interval_ms,
      absl::StrCat("it must be from ", kMinIntervalMs, " to ", kMaxIntervalMs));
}

WatchBlocksReactor* WatchBlocksReactor::Start(
    absl::Duration interval, std::function<v1::WatchBlocksResponse()> observe) {
  auto* reactor = new WatchBlocksReactor(interval, std::move(observe));
  reactor->Write();
  return reactor;
}

WatchBlocksReactor::WatchBlocksReactor(
    absl::Duration interval, std::function<v1::WatchBlocksResponse()> observe)
    : interval_(interval), observe_(std::move(observe)) {}

void WatchBlocksReactor::Write() {
  message_ = observe_();
  StartWrite(&message_);
}

void WatchBlocksReactor::OnWriteDone(bool ok) {
  {
    absl::MutexLock lock(&mutex_);
    if (ok && !cancelled_) {
      waiting_ = true;
      alarm_.Set(std::chrono::system_clock::now() +
                     absl::ToChronoMilliseconds(interval_),
                 [this](bool rang) { OnAlarm(rang); });
      return;
    }
  }
  Finish(grpc::Status::CANCELLED);
}

void WatchBlocksReactor::OnAlarm(bool rang) {
  {
    absl::MutexLock lock(&mutex_);
    waiting_ = false;
    rang = rang && !cancelled_;
  }
  if (rang) return Write();
  Finish(grpc::Status::CANCELLED);
}

void WatchBlocksReactor::OnCancel() {
  bool waiting;
  {
    absl::MutexLock lock(&mutex_);
    cancelled_ = true;
    waiting = waiting_;
  }
  // The alarm then calls OnAlarm(false), or has called OnAlarm already. gRPC
  // deletes nothing while OnCancel runs.
  if (waiting) alarm_.Cancel();
}

}  // namespace quire
