#include "scheduler/sim/stepped_system.h"

#include <algorithm>
#include <utility>

namespace quire {

SteppedSystem::SteppedSystem(uint64_t num_slots, const CostModel* cost)
    : num_slots_(num_slots), cost_(cost) {}

void SteppedSystem::Submit(ServedRequest request) {
  const Member member = {.key = request.key,
                         .prompt_tokens = request.prompt.size(),
                         .output_tokens = request.output_tokens};
  if (CanEverServe(member)) {
    waiting_.insert(waiting_.end(), request.num_sequences, member);
    num_open_[request.key] = request.num_sequences;
  } else {
    progress_.push_back({member.key, Progress::kRefused});
  }
}

absl::Duration SteppedSystem::next_event() const { return step_end_; }

void SteppedSystem::AdvanceTo(absl::Duration now) {
  if (step_end_ <= now) FinishStep();
  if (step_end_ == absl::InfiniteDuration()) StartStep(now);
}

void SteppedSystem::StartStep(absl::Duration now) {
  Admit();
  if (batch_.empty()) return;
  const StepWork work = NextWork();
  step_end_ = now + cost_->StepTime(work);
  ++totals_.num_steps;
  totals_.num_rows += work.num_rows;
}

void SteppedSystem::FinishStep() {
  step_end_ = absl::InfiniteDuration();
  for (Member& member : batch_) {
    if (member.finished()) continue;
    if (++member.num_generated == 1) {
      progress_.push_back({member.key, Progress::kFirstToken});
    }
  }
  Retire();
}

void SteppedSystem::Leave(const Member& member) {
  const auto num_open = num_open_.find(member.key);
  if (--num_open->second > 0) return;
  num_open_.erase(num_open);
  progress_.push_back({member.key, Progress::kFinished});
}

std::vector<ProgressEvent> SteppedSystem::TakeProgress() {
  return std::exchange(progress_, {});
}

uint64_t SteppedSystem::NumRequests() const {
  uint64_t num_requests = 0;
  for (size_t i = 0; i < batch_.size(); ++i) {
    if (i == 0 || batch_[i].key != batch_[i - 1].key) ++num_requests;
  }
  return num_requests;
}

Occupancy SteppedSystem::occupancy() {
  Occupancy occupancy;
  occupancy.num_running = NumRequests();
  SlotUse& slots = occupancy.slots;
  slots.total = num_slots_;
  slots.allocated = num_allocated();
  for (const Member& member : batch_) {
    slots.tokens += member.filled_slots();
    slots.reserved += member.final_slots() - member.filled_slots();
    slots.over_reserved += member.num_reserved - member.final_slots();
  }
  return occupancy;
}

}  // namespace quire
