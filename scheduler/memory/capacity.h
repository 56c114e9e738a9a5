#ifndef QUIRE_SCHEDULER_MEMORY_CAPACITY_H_
#define QUIRE_SCHEDULER_MEMORY_CAPACITY_H_

#include <cstdint>

namespace quire {

// The one formula between tokens and blocks. It says how large a pool must be
// to serve a context, whether a request can ever fit, and what it waits for.

// Blocks that hold `num_slots` slots.
constexpr uint64_t BlocksForSlots(uint64_t num_slots, uint32_t block_size) {
  return (num_slots + block_size - 1) / block_size;
}

// Slots that a request fills by its end: one for each token but the last, which
// is sampled and never read. REQUIRES: num_tokens > 0, prompt and max_tokens
// together.
constexpr uint64_t SlotsForRequest(uint64_t num_tokens) {
  return num_tokens - 1;
}

// Blocks that a request of `num_tokens` tokens, prompt and max_tokens together,
// holds at its end; the fewest with which a pool can serve it.
constexpr uint64_t BlocksForRequest(uint64_t num_tokens, uint32_t block_size) {
  return BlocksForSlots(SlotsForRequest(num_tokens), block_size);
}

}  // namespace quire

#endif  // QUIRE_SCHEDULER_MEMORY_CAPACITY_H_
