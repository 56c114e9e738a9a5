#include "scheduler/policy/admission.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "scheduler/memory/capacity.h"

namespace quire {
namespace {

uint64_t SlotsAtEnd(const SequenceLengths& sequence) {
  return SlotsForRequest(uint64_t{sequence.prompt_tokens} +
                         sequence.max_tokens);
}

}  // namespace

uint32_t SlotsAtAdmission(AdmissionMode mode, const SequenceLengths& sequence,
                          uint32_t max_first_slots) {
  const uint64_t at_end = SlotsAtEnd(sequence);
  const uint64_t known = std::min(uint64_t{sequence.known_tokens} + 1, at_end);
  switch (mode) {
    case AdmissionMode::kFirstChunk:
      return static_cast<uint32_t>(std::min<uint64_t>(known, max_first_slots));
    case AdmissionMode::kFullPrompt:
      return static_cast<uint32_t>(known);
    case AdmissionMode::kWorstCase:
      break;
  }
  return static_cast<uint32_t>(at_end);
}

AdmissionMode ModeFor(AdmissionMode mode, uint32_t num_preemptions,
                      bool is_fork) {
  if (num_preemptions >= kMaxPreemptions) return AdmissionMode::kWorstCase;
  const bool in_full = num_preemptions > 0 || is_fork;
  return in_full && mode == AdmissionMode::kFirstChunk
             ? AdmissionMode::kFullPrompt
             : mode;
}

bool CanAdmit(const AdmissionRequest& request, const AdmissionPool& pool) {
  const uint64_t left_for_others = request.was_preempted ? pool.num_running : 0;
  return request.num_blocks + left_for_others <= pool.num_available;
}

uint64_t BlocksAtEnd(const SequenceLengths& sequence, uint32_t num_sequences,
                     uint32_t block_size) {
  const uint64_t shared =
      num_sequences > 1 ? (sequence.prompt_tokens - 1) / block_size : 0;
  const uint64_t each = BlocksForSlots(SlotsAtEnd(sequence), block_size);
  return shared + num_sequences * (each - shared);
}

absl::Status CheckFitsPool(const SequenceLengths& sequence,
                           uint32_t num_sequences, uint32_t block_size,
                           uint32_t num_blocks) {
  const uint64_t needed = BlocksAtEnd(sequence, num_sequences, block_size);
  if (needed <= num_blocks) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "a prompt of ", sequence.prompt_tokens, " tokens with max_tokens ",
      sequence.max_tokens,
      num_sequences > 1 ? absl::StrCat(" and ", num_sequences, " sequences")
                        : "",
      " needs ", needed, " blocks of ", block_size,
      " tokens; the KV cache has ", num_blocks));
}

}  // namespace quire
