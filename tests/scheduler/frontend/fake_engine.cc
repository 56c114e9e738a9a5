#include "tests/scheduler/frontend/fake_engine.h"

#include <utility>

namespace quire::testing {

void FakeEngine::Submit(GenerationRequest request) {
  absl::MutexLock lock(&mutex_);
  requests_.push_back(std::move(request));
  ++num_submitted_;
}

void FakeEngine::Cancel(RequestId id) {
  absl::MutexLock lock(&mutex_);
  cancelled_.push_back(id);
}

EngineSnapshot FakeEngine::Snapshot(bool with_blocks) {
  absl::MutexLock lock(&mutex_);
  EngineSnapshot snapshot = snapshot_;
  if (!with_blocks) snapshot.block_states.clear();
  return snapshot;
}

GenerationRequest FakeEngine::AwaitRequest() {
  absl::MutexLock lock(&mutex_);
  const auto has_request = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !requests_.empty();
  };
  mutex_.Await(absl::Condition(&has_request));
  GenerationRequest request = std::move(requests_.front());
  requests_.pop_front();
  return request;
}

void FakeEngine::AwaitCancels(size_t count) {
  absl::MutexLock lock(&mutex_);
  const auto enough = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return cancelled_.size() >= count;
  };
  mutex_.Await(absl::Condition(&enough));
}

std::vector<RequestId> FakeEngine::cancelled() {
  absl::MutexLock lock(&mutex_);
  return cancelled_;
}

size_t FakeEngine::num_submitted() {
  absl::MutexLock lock(&mutex_);
  return num_submitted_;
}

void FakeEngine::set_snapshot(EngineSnapshot snapshot) {
  absl::MutexLock lock(&mutex_);
  snapshot_ = std::move(snapshot);
}

}  // namespace quire::testing
