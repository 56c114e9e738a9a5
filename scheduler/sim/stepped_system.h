#ifndef QUIRE_SCHEDULER_SIM_STEPPED_SYSTEM_H_
#define QUIRE_SCHEDULER_SIM_STEPPED_SYSTEM_H_

#include <cstdint>
#include <deque>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "scheduler/sim/cost_model.h"
#include "scheduler/sim/serving_system.h"

namespace quire {

// What the systems that this project is compared with have in common: one step
// after the other, a contiguous range of slots a sequence, whole prompts in one
// step. Nothing is shared: the sequences of a request are members of their own.
// Who joins and who leaves is theirs to say.
class SteppedSystem : public ServingSystem {
 public:
  // `cost` must outlive the system.
  SteppedSystem(uint64_t num_slots, const CostModel* cost);

  void Submit(ServedRequest request) final;
  absl::Duration next_event() const final;
  void AdvanceTo(absl::Duration now) final;
  std::vector<ProgressEvent> TakeProgress() final;
  Occupancy occupancy() final;
  SystemTotals totals() final { return totals_; }

 protected:
  // A sequence.
  struct Member {
    uint64_t key = 0;  // Of its request.
    uint64_t prompt_tokens = 0;
    uint64_t output_tokens = 0;
    uint64_t num_generated = 0;
    uint64_t num_reserved = 0;  // Slots that were asked for.
    uint64_t first_slot = 0;

    bool finished() const { return num_generated == output_tokens; }
    // Slots that it fills by its end, and that it has filled.
    uint64_t final_slots() const { return prompt_tokens + output_tokens; }
    uint64_t filled_slots() const { return prompt_tokens + num_generated; }
  };

  // Whether the memory could hold it, were it alone.
  virtual bool CanEverServe(const Member& member) const = 0;
  // Moves sequences from waiting() to batch(), between two steps.
  virtual void Admit() = 0;
  // What the next step computes. REQUIRES: the batch is not empty.
  virtual StepWork NextWork() const = 0;
  // After a step, which gave each unfinished member a token: takes out of
  // batch() those that leave, and says so with Leave.
  virtual void Retire() = 0;
  // Slots not available to others.
  virtual uint64_t num_allocated() const = 0;

  void Leave(const Member& member);

  uint64_t num_slots() const { return num_slots_; }
  std::deque<Member>& waiting() { return waiting_; }
  std::vector<Member>& batch() { return batch_; }
  const std::vector<Member>& batch() const { return batch_; }

 private:
  void StartStep(absl::Duration now);
  void FinishStep();
  // With members in the batch.
  uint64_t NumRequests() const;

  const uint64_t num_slots_;
  const CostModel* const cost_;
  std::deque<Member> waiting_;
  std::vector<Member> batch_;  // Those of a request one after the other.
  absl::flat_hash_map<uint64_t, uint32_t> num_open_;  // Members, by key.
  absl::Duration step_end_ = absl::InfiniteDuration();
  std::vector<ProgressEvent> progress_;
  SystemTotals totals_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_STEPPED_SYSTEM_H_
