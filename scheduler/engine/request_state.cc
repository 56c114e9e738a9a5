#include "scheduler/engine/request_state.h"

#include <algorithm>
#include <utility>

#include "common/check.h"

namespace quire {
namespace {

bool LooksBack(const worker::v1::Sampling& sampling) {
  return sampling.repetition_penalty() != 1 ||
         sampling.presence_penalty() != 0 ||
         sampling.frequency_penalty() != 0 || sampling.bad_words_size() > 0;
}

}  // namespace

RequestState::RequestState(GenerationRequest request, PlaceInOrder place,
                           const std::function<SequenceId()>& next_id,
                           absl::Time arrived)
    : request_(std::move(request)),
      continuation_(MakeContinuation(request_)),
      place_(place),
      arrived_(arrived),
      prompt_length_(static_cast<uint32_t>(request_.prompt.size())),
      takes_drafts_(continuation_->runs_ahead() &&
                    !LooksBack(request_.sampling)) {
  for (uint32_t i = 0; i < continuation_->num_first_sequences(); ++i) {
    sequences_.push_back(std::make_unique<Sequence>(
        next_id(), i, request_.prompt, request_.max_tokens,
        continuation_->runs_ahead()));
  }
}

RequestUsage RequestState::usage() const {
  return {.prompt_tokens = prompt_length_,
          .cached_prompt_tokens = num_cached_,
          .generated_tokens = num_generated_};
}

uint32_t RequestState::num_blocks() const {
  uint32_t num_blocks = 0;
  for (const auto& sequence : sequences_) num_blocks += sequence->num_blocks();
  return num_blocks;
}

Sequence& RequestState::AddBranch(const Branch& branch, SequenceId id) {
  return *sequences_.emplace_back(std::make_unique<Sequence>(
      id, branch.index, *branch.parent, branch.token));
}

void RequestState::EndSequence(Sequence& sequence) {
  const auto place = std::find_if(
      sequences_.begin(), sequences_.end(),
      [&](const auto& candidate) { return candidate.get() == &sequence; });
  QUIRE_CHECK(place != sequences_.end());
  for (const auto& other : sequences_) {
    if (other->parent() != &sequence) continue;
    other->TryFork();
    QUIRE_CHECK(!other->awaiting());
    other->ForgetParent();
  }
  sequences_.erase(place);
}

SequenceLengths RequestState::LengthsOf(const Sequence& sequence) const {
  return {.prompt_tokens = prompt_length_,
          .max_tokens = request_.max_tokens,
          .known_tokens = sequence.known()};
}

uint32_t RequestState::SharedSlots(const Sequence& sequence) const {
  if (&sequence == &leader()) return 0;
  const auto mine = sequence.tokens().first(sequence.known() - 1);
  const auto theirs = leader().tokens();
  return static_cast<uint32_t>(std::ranges::mismatch(mine, theirs).in1 -
                               mine.begin());
}

bool RequestState::swapped() const {
  return std::ranges::all_of(sequences_, [](const auto& sequence) {
    return sequence->swapped() != nullptr;
  });
}

void RequestState::OnAdmitted(AdmissionMode mode, uint32_t num_found) {
  admission_mode_ = mode;
  if (num_admissions_ == 0) num_cached_ = std::min(num_found, prompt_length_);
  continuation_->OnAdmitted();
  num_own_rows_ = 0;
  ++num_admissions_;
}

bool RequestState::is_protected() const {
  if (admission_mode_ == AdmissionMode::kFirstChunk) return false;
  return admission_mode_ == AdmissionMode::kWorstCase ||
         std::ranges::any_of(sequences_, [](const auto& sequence) {
           return !sequence->has_gained();
         });
}

uint32_t RequestState::PromptScoresOf(const Sequence& sequence,
                                      const Run& run) const {
  if (!request_.reports_prompt_logprobs || &sequence != &leader() ||
      next_scored_ >= prompt_length_ || run.known_end() < next_scored_) {
    return 0;
  }
  const uint32_t last = prompt_length_ - 1;  // No row before it scores beyond.
  return std::min(run.known_end(), last) - std::min(run.position, last);
}

void RequestState::AddPromptScores(uint32_t position, TokenScores scores,
                                   ClientOutput output) {
  if (position != next_scored_) return;
  ++next_scored_;
  continuation_->AddPromptScores(std::move(scores), output);
}

SequenceChanges RequestState::Continue(Sequence& sequence, TokenScores scores,
                                       absl::Time now, ClientOutput output) {
  sequence.set_last_token_time(now);
  num_failed_steps_ = 0;
  SequenceChanges changes =
      continuation_->Continue(sequence, std::move(scores), output);
  num_generated_ += changes.num_gained;
  return changes;
}

}  // namespace quire
