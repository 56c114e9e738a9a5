#include "scheduler/readiness.h"

#include <utility>

namespace quire {

Readiness::Readiness(std::function<void(bool)> publish)
    : publish_(std::move(publish)) {}

void Readiness::SetGroupReady(bool ready) {
  absl::MutexLock lock(&mutex_);
  const bool before = Evaluate();
  group_ready_ = ready;
  PublishChange(before);
}

void Readiness::SetStuck(bool stuck) {
  absl::MutexLock lock(&mutex_);
  const bool before = Evaluate();
  stuck_ = stuck;
  PublishChange(before);
}

void Readiness::SetDraining() {
  absl::MutexLock lock(&mutex_);
  const bool before = Evaluate();
  draining_ = true;
  PublishChange(before);
}

bool Readiness::ready() const {
  absl::MutexLock lock(&mutex_);
  return Evaluate();
}

bool Readiness::stuck() const {
  absl::MutexLock lock(&mutex_);
  return stuck_;
}

bool Readiness::draining() const {
  absl::MutexLock lock(&mutex_);
  return draining_;
}

bool Readiness::Evaluate() const {
  return group_ready_ && !stuck_ && !draining_;
}

void Readiness::PublishChange(bool before) {
  if (Evaluate() != before) publish_(!before);
}

}  // namespace quire
