#include "scheduler/policy/admission.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "scheduler/memory/capacity.h"

namespace quire {
namespace {

uint64_t BlocksAtEnd(const AdmissionRequest& request, uint32_t block_size) {
  return BlocksForRequest(uint64_t{request.prompt_tokens} + request.max_tokens,
                          block_size);
}

}  // namespace

uint32_t SlotsAtAdmission(const AdmissionRequest& request) {
  const uint64_t at_end =
      SlotsForRequest(uint64_t{request.prompt_tokens} + request.max_tokens);
  return static_cast<uint32_t>(
      std::min(uint64_t{request.known_tokens} + 1, at_end));
}

Admission DecideAdmission(const AdmissionRequest& request,
                          const AdmissionPool& pool) {
  if (BlocksAtEnd(request, pool.block_size) > pool.num_blocks) {
    return Admission::kNever;
  }
  const uint64_t needed =
      BlocksForSlots(SlotsAtAdmission(request), pool.block_size);
  const uint64_t left_for_others = request.was_preempted ? pool.num_running : 0;
  return needed + left_for_others <= pool.num_free ? Admission::kNow
                                                   : Admission::kLater;
}

absl::Status NeverFitsError(const AdmissionRequest& request,
                            const AdmissionPool& pool) {
  return absl::InvalidArgumentError(absl::StrCat(
      "a prompt of ", request.prompt_tokens, " tokens with max_tokens ",
      request.max_tokens, " needs ", BlocksAtEnd(request, pool.block_size),
      " blocks of ", pool.block_size, " tokens; the KV cache has ",
      pool.num_blocks));
}

}  // namespace quire
