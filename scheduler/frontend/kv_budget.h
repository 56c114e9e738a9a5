#ifndef QUIRE_SCHEDULER_FRONTEND_KV_BUDGET_H_
#define QUIRE_SCHEDULER_FRONTEND_KV_BUDGET_H_

#include <cstdint>

#include "absl/status/statusor.h"

namespace quire {

// Of a request with a budget of KV slots.
struct KvBudget {
  uint32_t budget_tokens = 0;
  uint32_t prompt_tokens = 0;  // Counted once: its sequences share them.
  uint32_t num_sequences = 1;
  uint32_t min_tokens = 1;  // That each sequence must be able to generate.
};

// How many tokens each sequence may generate, so that they stay within the
// budget together. INVALID_ARGUMENT: not even `min_tokens`, with the numbers.
// (That the last token of a sequence fills no slot is left to spare.)
absl::StatusOr<uint32_t> TokensWithinBudget(const KvBudget& request);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_KV_BUDGET_H_
