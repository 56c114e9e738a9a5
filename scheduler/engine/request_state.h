#ifndef QUIRE_SCHEDULER_ENGINE_REQUEST_STATE_H_
#define QUIRE_SCHEDULER_ENGINE_REQUEST_STATE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "absl/time/time.h"
#include "common/ids.h"
#include "scheduler/engine/generation_request.h"
#include "scheduler/engine/mailbox.h"
#include "scheduler/engine/run.h"
#include "scheduler/engine/sequence.h"
#include "scheduler/policy/admission.h"
#include "scheduler/policy/order.h"

namespace quire {

// An open request: what was asked, its sequence, and what is owed to its
// mailbox. States:
//
//   waiting    in the queue; its sequence is parked
//   running    its sequence is resident
//   closed     the object is gone
//
//             admitted                stopped, cancelled, expired, failed
//   waiting ------------> running ------------------------------> closed
//      ^                     |
//      +---------------------+   (closed from waiting as well)
//       preempted, epoch over
//
// Engine thread only.
class RequestState {
 public:
  RequestState(GenerationRequest request, PlaceInOrder place, SequenceId id,
               absl::Time arrived);

  RequestId id() const { return request_.id; }
  const PlaceInOrder& place() const { return place_; }
  absl::Time arrived() const { return arrived_; }
  absl::Time deadline() const { return request_.deadline; }
  const std::string& name() const { return request_.name; }
  const worker::v1::Sampling& sampling() const { return request_.sampling; }
  const std::shared_ptr<Mailbox>& mailbox() const { return request_.mailbox; }
  Sequence& sequence() { return sequence_; }
  const Sequence& sequence() const { return sequence_; }
  RequestUsage usage() const;

  // What policy/admission asks about.
  AdmissionRequest admission() const;
  void OnAdmitted();
  void OnPreempted() { ++num_preemptions_; }
  // Whether a token was gained since the last admission.
  bool reached_checkpoint() const {
    return sequence_.known() > known_at_admission_;
  }
  // A step with a row of it failed.
  void OnFailedStep() { ++num_failed_steps_; }
  // Since a token was gained.
  uint32_t num_failed_steps() const { return num_failed_steps_; }
  uint32_t num_admissions() const { return num_admissions_; }
  uint32_t num_preemptions() const { return num_preemptions_; }

  // How many prompt tokens `run` is to score: all that it can, unless every
  // one of them has been scored already.
  uint32_t PromptScoresOf(const Run& run) const;
  // Keeps the scores of the prompt token at `position` for the client, unless
  // it has them: the row was computed anew.
  void AddPromptScores(uint32_t position, TokenScores scores);

  // The sequence gains a token: decides whether it ends here, and why.
  FinishReason AppendToken(TokenScores scores, absl::Time now);
  // When the last token came; InfinitePast before the first.
  absl::Time last_token() const { return last_token_; }

  // What the client has not been sent.
  bool has_delta() const { return has_delta_; }
  SequenceDelta TakeDelta();

 private:
  bool IsStopToken(Token token) const;

  GenerationRequest request_;
  const PlaceInOrder place_;
  const absl::Time arrived_;
  Sequence sequence_;
  uint32_t known_at_admission_ = 0;
  uint32_t num_admissions_ = 0;
  uint32_t num_preemptions_ = 0;
  uint32_t num_failed_steps_ = 0;
  uint32_t next_scored_ = 1;  // The first prompt token without scores.
  absl::Time last_token_ = absl::InfinitePast();
  SequenceDelta delta_;
  bool has_delta_ = false;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_REQUEST_STATE_H_
