#include "scheduler/engine/result_check.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "google/protobuf/repeated_field.h"
#include "scheduler/engine/result_reader.h"

namespace quire {
namespace {

using FailedSequences = google::protobuf::RepeatedField<uint64_t>;

// A probability of 0 is one; NaN and more than any are none.
absl::Status CheckLogprobs(
    const char* what, const google::protobuf::RepeatedField<float>& logprobs) {
  for (const float logprob : logprobs) {
    if (logprob < std::numeric_limits<float>::infinity()) continue;
    return absl::InternalError(
        absl::StrCat(what, " have a log-probability of ", logprob));
  }
  return absl::OkStatus();
}

// What SampledTokens and PromptLogprobs have in common.
template <typename Entries>
absl::Status CheckArrays(const char* what, const Entries& entries) {
  const int size = entries.sequence_size();
  if (entries.position_size() != size || entries.logprob_size() != size ||
      entries.num_top_size() != size) {
    return absl::InternalError(
        absl::StrCat("the arrays of ", what, " differ in length"));
  }
  QUIRE_RETURN_IF_ERROR(CheckLogprobs(what, entries.logprob()));
  QUIRE_RETURN_IF_ERROR(CheckLogprobs(what, entries.top_logprob()));
  uint64_t num_top = 0;
  for (uint32_t count : entries.num_top()) num_top += count;
  if (num_top != static_cast<uint64_t>(entries.top_token_size()) ||
      num_top != static_cast<uint64_t>(entries.top_logprob_size())) {
    return absl::InternalError(
        absl::StrCat(what, " announce ", num_top, " alternatives and list ",
                     entries.top_token_size(), " tokens and ",
                     entries.top_logprob_size(), " log-probabilities"));
  }
  return absl::OkStatus();
}

// Holds entries against what was asked for, one after the other.
template <typename Entries>
class Comparison {
 public:
  Comparison(const char* what, const Entries& entries,
             const FailedSequences& failed)
      : what_(what), entries_(entries), failed_(failed) {}

  // The next entry must be the one of this place, with as many alternatives
  // unless its sequence failed.
  absl::Status Expect(SequenceId sequence, uint32_t position,
                      uint32_t num_top) {
    if (next_ == entries_.sequence_size()) {
      return absl::InternalError(
          absl::StrCat(what_, " lack ", Place(sequence.value(), position)));
    }
    const uint64_t sequence_given = entries_.sequence(next_);
    const uint32_t position_given = entries_.position(next_);
    const uint32_t num_top_given = entries_.num_top(next_);
    ++next_;
    if (sequence_given != sequence.value() || position_given != position) {
      return absl::InternalError(absl::StrCat(
          what_, " give ", Place(sequence_given, position_given), " where ",
          Place(sequence.value(), position), " was asked for"));
    }
    if (num_top_given != num_top && !IsFailed(sequence)) {
      return absl::InternalError(
          absl::StrCat(what_, " give ", num_top_given, " alternatives for ",
                       Place(sequence.value(), position), " where ", num_top,
                       " were asked for"));
    }
    return absl::OkStatus();
  }

  // The entry that is expected next.
  int next() const { return next_; }

  absl::Status ExpectEnd() const {
    if (next_ == entries_.sequence_size()) return absl::OkStatus();
    return absl::InternalError(absl::StrCat(what_, " give ",
                                            entries_.sequence_size(), " where ",
                                            next_, " were asked for"));
  }

 private:
  static std::string Place(uint64_t sequence, uint32_t position) {
    return absl::StrCat("position ", position, " of sequence ", sequence);
  }
  bool IsFailed(SequenceId sequence) const {
    return std::ranges::find(failed_, sequence.value()) != failed_.end();
  }

  const char* const what_;
  const Entries& entries_;
  const FailedSequences& failed_;
  int next_ = 0;
};

absl::Status CheckSampled(std::span<const Run> runs,
                          const worker::v1::SampledTokens& sampled,
                          const FailedSequences& failed) {
  constexpr char kWhat[] = "sampled tokens";
  QUIRE_RETURN_IF_ERROR(CheckArrays(kWhat, sampled));
  if (sampled.token_size() != sampled.sequence_size()) {
    return absl::InternalError("the arrays of sampled tokens differ in length");
  }
  for (Token token : sampled.token()) {
    if (token >= 0) continue;
    return absl::InternalError(absl::StrCat("token ", token, " was sampled"));
  }
  Comparison comparison(kWhat, sampled, failed);
  for (const Run& run : runs) {
    const uint32_t count = CountSampled(run, sampled, comparison.next());
    for (uint32_t i = 0; i < count; ++i) {
      QUIRE_RETURN_IF_ERROR(
          comparison.Expect(run.sequence, run.known_end() + i, run.num_top));
    }
  }
  return comparison.ExpectEnd();
}

absl::Status CheckScores(std::span<const Run> runs,
                         const worker::v1::PromptLogprobs& scores,
                         const FailedSequences& failed) {
  constexpr char kWhat[] = "prompt log-probabilities";
  QUIRE_RETURN_IF_ERROR(CheckArrays(kWhat, scores));
  Comparison comparison(kWhat, scores, failed);
  for (const Run& run : runs) {
    for (uint32_t i = 1; i <= run.num_scored; ++i) {
      QUIRE_RETURN_IF_ERROR(comparison.Expect(run.sequence, run.position + i,
                                              run.num_top_scored));
    }
  }
  return comparison.ExpectEnd();
}

absl::Status CheckFailed(std::span<const Run> runs,
                         const FailedSequences& failed) {
  for (const uint64_t sequence : failed) {
    if (std::ranges::any_of(runs, [&](const Run& run) {
          return run.sequence.value() == sequence;
        })) {
      continue;
    }
    return absl::InternalError(absl::StrCat(
        "sequence ", sequence, " failed and has no rows in this step"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckResult(std::span<const Run> runs,
                         const worker::v1::StepResult& result) {
  const FailedSequences& failed = result.failed_sequences();
  QUIRE_RETURN_IF_ERROR(CheckFailed(runs, failed));
  QUIRE_RETURN_IF_ERROR(CheckSampled(runs, result.sampled(), failed));
  return CheckScores(runs, result.prompt_logprobs(), failed);
}

}  // namespace quire
