#ifndef QUIRE_SCHEDULER_ENGINE_REQUEST_STATE_H_
#define QUIRE_SCHEDULER_ENGINE_REQUEST_STATE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/ids.h"
#include "scheduler/engine/continuation.h"
#include "scheduler/engine/generation_request.h"
#include "scheduler/engine/mailbox.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/engine/run.h"
#include "scheduler/engine/sequence.h"
#include "scheduler/policy/admission.h"
#include "scheduler/policy/order.h"

namespace quire {

// The sequence whose writing a request waits for, to read it, and up to which
// slot.
struct PrefixToCome {
  SequenceId writer;
  uint32_t lane = 0;       // The writer's.
  uint32_t num_slots = 0;  // 0: it waits for none.
};

// An open request: what was asked and its sequences. Its sequences are
// admitted, preempted and resumed together; each ends by itself. States:
//
//   waiting    in the queue; its sequences are parked
//   running    none of its sequences is parked
//   closed     the object is gone
//
//             admitted                all ended, cancelled, expired, failed
//   waiting ------------> running ------------------------------> closed
//      ^                     |
//      +---------------------+   (closed from waiting as well)
//       preempted, epoch over
//
// Engine thread only.
class RequestState {
 public:
  // `next_id` is called for each sequence.
  RequestState(GenerationRequest request, PlaceInOrder place,
               const std::function<SequenceId()>& next_id, absl::Time arrived);

  RequestId id() const { return request_.id; }
  const PlaceInOrder& place() const { return place_; }
  Priority priority() const { return request_.priority; }
  absl::Time arrived() const { return arrived_; }
  absl::Time deadline() const { return request_.deadline; }
  uint32_t least_tokens() const { return request_.least_tokens; }
  const std::string& name() const { return request_.name; }
  const worker::v1::Sampling& sampling() const { return request_.sampling; }
  const std::shared_ptr<Mailbox>& mailbox() const { return request_.mailbox; }
  uint32_t prompt_length() const { return prompt_length_; }
  // Of all its sequences, ended ones too.
  uint32_t num_generated() const { return num_generated_; }
  RequestUsage usage() const;

  // Those that have not ended, in the order of their index. The first one
  // leads: when the request is admitted, the others are forks of it. Not empty
  // while the request is open. A beam search begins with one.
  std::span<const std::unique_ptr<Sequence>> sequences() const {
    return sequences_;
  }
  Sequence& leader() const { return *sequences_.front(); }
  uint32_t num_sequences() const {
    return static_cast<uint32_t>(sequences_.size());
  }
  // The most that it may have from here on.
  uint32_t most_sequences() const {
    return continuation_->most_sequences(num_sequences());
  }
  // Entries of their block tables.
  uint32_t num_blocks() const;
  bool running() const { return !leader().parked(); }
  // Whether the slots of all its sequences are in host blocks.
  bool swapped() const;

  // Whether its full blocks are to be found by others, and whether it looks for
  // others' in turn: the log-probabilities of a token are those of a row, and a
  // row that is not computed has none.
  bool writes_prefixes() const { return request_.uses_prefix_cache; }
  bool reads_prefixes() const {
    return request_.uses_prefix_cache && !request_.reports_prompt_logprobs;
  }
  // Whether tokens may be guessed for it: a choice does not depend on those
  // before it but by way of the model.
  bool takes_drafts() const { return takes_drafts_; }
  const std::string& cache_salt() const { return request_.cache_salt; }
  const PrefixToCome& prefix_to_come() const { return prefix_to_come_; }
  void WaitFor(const PrefixToCome& prefix) { prefix_to_come_ = prefix; }

  // See CountOwnRows, as of its arrival. 0 where nobody asks; and once it has
  // been admitted, when what it has computed may be found again.
  uint32_t num_own_rows() const { return num_own_rows_; }
  void SetOwnRows(uint32_t num_rows) { num_own_rows_ = num_rows; }

  // A sequence begins. REQUIRES: the parent is its own.
  Sequence& AddBranch(const Branch& branch, SequenceId id);
  // The sequence leaves; what it said stays.
  void EndSequence(Sequence& sequence);

  // What policy/admission asks about a sequence.
  SequenceLengths LengthsOf(const Sequence& sequence) const;
  // Slots that the sequence takes over from the leader when both are admitted.
  uint32_t SharedSlots(const Sequence& sequence) const;
  // `mode`: of the leader. `num_found`: tokens of it whose slots were found.
  void OnAdmitted(AdmissionMode mode, uint32_t num_found);
  void OnPreempted() { ++num_preemptions_; }
  // As it was admitted last.
  AdmissionMode admission_mode() const { return admission_mode_; }
  // See PreemptionCandidate.
  bool is_protected() const;
  // A step with a row of it failed.
  void OnFailedStep() { ++num_failed_steps_; }
  // Since a token was gained.
  uint32_t num_failed_steps() const { return num_failed_steps_; }
  uint32_t num_admissions() const { return num_admissions_; }
  uint32_t num_preemptions() const { return num_preemptions_; }

  // How many prompt tokens `run` of `sequence` is to score: all that it can,
  // unless every one of them has been scored already.
  uint32_t PromptScoresOf(const Sequence& sequence, const Run& run) const;
  // The client is to get the scores of the prompt token at `position`, unless
  // it has them: the row was computed anew. `output`, here and below: its own.
  void AddPromptScores(uint32_t position, TokenScores scores,
                       ClientOutput output);

  // A token was found for the sequence: decides what becomes of the sequences.
  // The caller carries it out with AddBranch and EndSequence.
  SequenceChanges Continue(Sequence& sequence, TokenScores scores,
                           absl::Time now, ClientOutput output);

 private:
  GenerationRequest request_;
  const std::unique_ptr<Continuation> continuation_;
  const PlaceInOrder place_;
  const absl::Time arrived_;
  const uint32_t prompt_length_;
  const bool takes_drafts_;
  std::vector<std::unique_ptr<Sequence>> sequences_;
  AdmissionMode admission_mode_ = AdmissionMode::kFirstChunk;
  uint32_t num_generated_ = 0;
  uint32_t num_admissions_ = 0;
  uint32_t num_preemptions_ = 0;
  uint32_t num_failed_steps_ = 0;
  uint32_t num_cached_ = 0;  // Prompt tokens, at the first admission.
  PrefixToCome prefix_to_come_;
  uint32_t num_own_rows_ = 0;
  uint32_t next_scored_ = 1;  // The first prompt token without scores.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_REQUEST_STATE_H_
