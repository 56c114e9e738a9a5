#include "tests/testing/puppets/puppet_group.h"

#include <utility>

namespace quire {

PuppetGroup::PuppetGroup(const GroupShape& shape, Engine* engine)
    : engine_(engine) {
  for (uint32_t rank = 0; rank < shape.num_ranks; ++rank) {
    puppets_.push_back({PuppetRank(shape, Rank(rank)), {}, nullptr});
  }
}

void PuppetGroup::Dispatch(worker::v1::StepPlan& plan) {
  absl::MutexLock lock(&mutex_);
  for (Puppet& puppet : puppets_) puppet.pending.push_back(plan);
  plans_.push_back(std::move(plan));  // As a link may.
  changed_.SignalAll();
}

void PuppetGroup::Abandon(const std::string& reason) {
  absl::MutexLock lock(&mutex_);
  abandoned_ = reason;
}

bool PuppetGroup::Answer(Rank rank) {
  worker::v1::StepResult result;
  {
    absl::MutexLock lock(&mutex_);
    Puppet& puppet = puppets_[rank.value()];
    if (puppet.pending.empty()) return false;
    result = puppet.rank.Execute(puppet.pending.front());
    puppet.pending.pop_front();
    if (auto edit = std::exchange(puppet.corrupt, nullptr)) edit(result);
  }
  engine_->OnResult(rank, std::move(result));
  engine_->TakeTurns();
  return true;
}

bool PuppetGroup::AnswerStep() {
  size_t num_ranks;
  {
    absl::MutexLock lock(&mutex_);
    num_ranks = puppets_.size();
  }
  bool any = false;
  for (uint32_t rank = 0; rank < num_ranks; ++rank) any |= Answer(Rank(rank));
  return any;
}

void PuppetGroup::CorruptNext(
    Rank rank, std::function<void(worker::v1::StepResult&)> edit) {
  absl::MutexLock lock(&mutex_);
  puppets_[rank.value()].corrupt = std::move(edit);
}

bool PuppetGroup::WaitForPlan(Rank rank) {
  absl::MutexLock lock(&mutex_);
  while (!stopped_ && puppets_[rank.value()].pending.empty()) {
    changed_.Wait(&mutex_);
  }
  return !stopped_;
}

void PuppetGroup::StopWaiting() {
  absl::MutexLock lock(&mutex_);
  stopped_ = true;
  changed_.SignalAll();
}

size_t PuppetGroup::num_in_flight() const {
  absl::MutexLock lock(&mutex_);
  return puppets_[0].pending.size();
}

std::vector<worker::v1::StepPlan> PuppetGroup::plans() const {
  absl::MutexLock lock(&mutex_);
  return plans_;
}

std::string PuppetGroup::abandoned() const {
  absl::MutexLock lock(&mutex_);
  return abandoned_;
}

std::vector<std::string> PuppetGroup::violations() const {
  absl::MutexLock lock(&mutex_);
  std::vector<std::string> all;
  for (const Puppet& puppet : puppets_) {
    const auto& own = puppet.rank.violations();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

}  // namespace quire
