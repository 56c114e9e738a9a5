#ifndef QUIRE_SCHEDULER_POLICY_BATCH_COMPOSITION_H_
#define QUIRE_SCHEDULER_POLICY_BATCH_COMPOSITION_H_

#include <cstdint>
#include <span>
#include <vector>

namespace quire {

// The room of one step.
struct BatchRoom {
  uint32_t rows = 0;       // Tokens.
  uint32_t sequences = 0;  // Running ones, in the step or not.
};

// Deals the rows of one step out to the running sequences, which are given in
// the order of service by the rows they could use: 0 = none, 1 = a decode, more
// = a prompt. Decodes come first, because a stalled one is seen as a pause by
// its reader; prompts then take what is left, in pieces where need be (chunked
// prefill), the first one as much as it can use. `granted` is set to the rows
// of each. Returns the room left for new sequences.
BatchRoom DealRows(const BatchRoom& room, std::span<const uint32_t> wanted,
                   std::vector<uint32_t>& granted);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_POLICY_BATCH_COMPOSITION_H_
