#include "scheduler/frontend/kv_budget.h"

#include "absl/strings/str_cat.h"
#include "scheduler/frontend/field_error.h"

namespace quire {

absl::StatusOr<uint32_t> TokensWithinBudget(const KvBudget& request) {
  const uint64_t least = request.prompt_tokens +
                         uint64_t{request.num_sequences} * request.min_tokens;
  if (request.budget_tokens < least) {
    return FieldError(
        "kv_budget_tokens", request.budget_tokens,
        absl::StrCat("a prompt of ", request.prompt_tokens, " tokens and ",
                     request.min_tokens, " more",
                     request.num_sequences > 1
                         ? absl::StrCat(" for each of ", request.num_sequences,
                                        " sequences")
                         : "",
                     " need ", least));
  }
  return (request.budget_tokens - request.prompt_tokens) /
         request.num_sequences;
}

}  // namespace quire
