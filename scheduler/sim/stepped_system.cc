#include "scheduler/sim/stepped_system.h"

#include <algorithm>
#include <utility>

namespace quire {

SteppedSystem::SteppedSystem(uint64_t num_slots, const CostModel* cost)
    : num_slots_(num_slots), cost_(cost) {}

void SteppedSystem::Submit(ServedSequence sequence) {
  const Member member = {.key = sequence.key,
                         .prompt_tokens = sequence.prompt.size(),
                         .output_tokens = sequence.output_tokens};
  if (CanEverServe(member)) {
    waiting_.push_back(member);
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
  progress_.push_back({member.key, Progress::kFinished});
}

std::vector<ProgressEvent> SteppedSystem::TakeProgress() {
  return std::exchange(progress_, {});
}

Occupancy SteppedSystem::occupancy() {
  Occupancy occupancy;
  occupancy.num_running = batch_.size();
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
