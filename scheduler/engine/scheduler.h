#ifndef QUIRE_SCHEDULER_ENGINE_SCHEDULER_H_
#define QUIRE_SCHEDULER_ENGINE_SCHEDULER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "quire/worker/v1/plan.pb.h"
#include "quire/worker/v1/result.pb.h"
#include "scheduler/engine/commit_tally.h"
#include "scheduler/engine/continuation.h"
#include "scheduler/engine/deadline_watch.h"
#include "scheduler/engine/engine_metrics.h"
#include "scheduler/engine/engine_options.h"
#include "scheduler/engine/generation_request.h"
#include "scheduler/engine/group.h"
#include "scheduler/engine/lane_table.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/engine/plan_builder.h"
#include "scheduler/engine/request_entry.h"
#include "scheduler/engine/request_queue.h"
#include "scheduler/engine/request_state.h"
#include "scheduler/engine/result_reader.h"
#include "scheduler/engine/run.h"
#include "scheduler/policy/admission.h"
#include "scheduler/policy/batch_composition.h"
#include "scheduler/policy/deadline.h"

namespace quire {

// Owns every open request and decides, step by step, what the group computes.
// How it decides is written in scheduler/policy; this class shows the state
// there and carries decisions out. The states of a request are described at
// RequestState, those of a sequence at Sequence.
//
// Plan and Commit are the two halves of a step. With several plans in flight
// Plan runs ahead of Commit: a sequence in flight in step n is planned into
// step n + 1 as well, the token between them still unknown. So all sequences
// that decode share every step. (Would each wait for its result instead, those
// that arrived at odd moments would ride in odd steps and the others in even
// ones for ever, at half the batch and twice the cost.) All that can turn out
// wrong about a plan is that a sequence has ended meanwhile, or that drafts
// were guessed behind another token than the one in flight: rows are then
// computed in vain. How many tokens a step with drafts gains is not known
// before it is committed, so nothing is planned behind it.
//
// Output goes to the outbox, never straight to a mailbox. Engine thread only.
class Scheduler {
 public:
  // `metrics` and `outbox` must outlive the scheduler. REQUIRES: valid options.
  Scheduler(const EngineOptions& options, const EngineMetrics* metrics,
            Outbox* outbox);

  // --- Requests

  // Joins the queue, or closes with UNAVAILABLE (no epoch has ever started),
  // INVALID_ARGUMENT (can never fit the pool, or more sequences than ever run),
  // RESOURCE_EXHAUSTED (queue full) or DEADLINE_EXCEEDED (it cannot be met).
  // REQUIRES: the id is new.
  void Submit(GenerationRequest request, absl::Time now);
  // Closes a request that never joins the queue.
  void Refuse(const GenerationRequest& request, absl::Status reason);
  // Closes with CANCELLED; a request that is not open any more is ignored.
  void Cancel(RequestId id, absl::Time now);
  // Closes with DEADLINE_EXCEEDED those whose deadline has passed, and those
  // that have never run and, by what the group's steps take, cannot meet
  // theirs.
  void CloseExpired(absl::Time now);
  void CloseAll(const absl::Status& reason, absl::Time now);

  // When CloseExpired may have something to do next; InfiniteFuture: never.
  absl::Time next_deadline() const { return deadlines_.next_time(); }
  uint32_t num_open() const { return static_cast<uint32_t>(requests_.size()); }

  // --- Epochs

  // Requests that the new pool can never hold close with INVALID_ARGUMENT.
  // REQUIRES: no epoch has started, or EndEpoch was called since.
  void StartEpoch(std::unique_ptr<Group> group, absl::Time now);
  // The oldest step that is not complete could not be executed, or its result
  // makes no sense. A request to which this happens several times in a row,
  // without a token gained, closes with INTERNAL; so one that no rank can
  // execute does not end epoch after epoch. To be followed by EndEpoch.
  void BlameStep(const absl::Status& failure, absl::Time now);
  // All requests go back to the queue with their tokens; steps in flight are
  // forgotten.
  void EndEpoch();
  // Null between epochs.
  Group* group() { return group_.get(); }
  const Group* group() const { return group_.get(); }

  // --- Steps

  // The next plan, which is in flight from here on; valid until the next call.
  // Null: no epoch, enough plans in flight, or nothing to compute.
  worker::v1::StepPlan* Plan(absl::Time now);
  // Takes the outputs of the group's oldest step, which leaves flight. A token
  // is appended only where its position is its sequence's length, everything
  // else is counted as discarded; so a step in flight can neither lose nor
  // repeat a token, whatever has become of its sequences.
  // REQUIRES: group()->oldest_complete().
  void Commit(absl::Time now);

  // --- Inspection

  // In the order of service.
  std::span<RequestState* const> running() const { return running_; }
  // Sequences that running requests may have.
  uint32_t num_running_sequences() const { return num_running_sequences_; }
  const RequestQueue& waiting() const { return waiting_; }
  // Of the next plan that is finished.
  const PendingSwaps& pending_swaps() const { return builder_.swaps(); }

 private:
  SequenceId NextSequenceId() { return last_sequence_ = last_sequence_.Next(); }
  absl::Status CheckFits(const SequenceLengths& sequence,
                         uint32_t num_sequences) const;
  // What has to be done before a request that never ran can end; nothing for
  // those that are not to be refused early.
  LeastWork LeastWorkOf(const RequestState& request, uint64_t rows_ahead) const;
  uint32_t MostDraftsOf(const RequestState& request) const;
  void CheckDeadline(RequestState& request, uint64_t rows_ahead,
                     absl::Time now);
  BatchRoom StepRoom() const;
  AdmissionPool DescribePool() const;
  // Empty: it is not open any more.
  Lane Find(const Run& run) const {
    return lanes_.Find(run.sequence, run.lane);
  }

  // Parts of Plan, in its order.
  bool CanPlan() const;
  bool ReserveForRunning();
  void PrefetchBehind(size_t i) const;
  void TryFork(Lane lane);
  bool PreemptBehind(size_t needy, const Sequence& sequence, uint32_t num_rows);
  void Preempt(RequestState& victim);
  BatchRoom PlanRunning();
  void AdmitWaiting(BatchRoom room, absl::Time now);
  bool HasRowsInFlight(const RequestState& request) const;
  void Admit(RequestState& request, RequestEntry& entry, absl::Time now);
  uint32_t DraftsForEachRun() const;
  std::span<const Token> GuessTokens(Lane lane, uint32_t num_rows,
                                     uint32_t most_drafts);
  void PlanRows(Lane lane, uint32_t num_rows,
                std::span<const Token> drafts = {});
  void ObservePlan() const;

  // Parts of Commit, in its order.
  void CloseFailed(const InFlightStep& step, absl::Time now);
  void CommitRun(const Run& run, ResultReader& outputs, CommitTally& tally,
                 absl::Time now);
  void CommitRows(Lane lane, const Run& run, uint32_t num_sampled,
                  CommitTally& tally);
  void CommitRightDraft(Lane lane, CommitTally& tally);
  void CommitToken(Lane lane, uint32_t position, TokenScores scores,
                   CommitTally& tally, absl::Time now);
  void Apply(const SequenceChanges& changes, RequestState& request,
             absl::Time now);

  // The ways out of the running state; blocks are free at once.
  void StopRunning(RequestState& request);
  void EndSequence(Lane lane, FinishReason reason, absl::Time now);
  void Close(RequestState& request, Outcome outcome, absl::Status status,
             absl::Time now);

  const EngineOptions options_;
  const EngineMetrics* const metrics_;
  Outbox* const outbox_;

  std::unique_ptr<Group> group_;  // Outlives requests_, which hold its blocks.
  bool had_epoch_ = false;
  absl::flat_hash_map<RequestId, std::unique_ptr<RequestState>> requests_;
  LaneTable lanes_;
  DeadlineWatch deadlines_;
  RequestQueue waiting_;
  std::vector<RequestState*> running_;  // In the order of service.
  uint32_t num_running_sequences_ = 0;
  uint64_t last_arrival_ = 0;  // PlaceInOrder::arrival.
  SequenceId last_sequence_;

  PlanBuilder builder_;
  // Of the running requests' sequences, while planning.
  std::vector<Lane> planned_lanes_;
  std::vector<uint32_t> wanted_rows_;
  std::vector<uint32_t> granted_rows_;
  std::vector<Token> drafts_;  // See GuessTokens.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_SCHEDULER_H_
