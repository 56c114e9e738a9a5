#ifndef QUIRE_SCHEDULER_POLICY_PREFIX_WRITER_H_
#define QUIRE_SCHEDULER_POLICY_PREFIX_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "common/ids.h"

namespace quire {

// A running sequence whose blocks others may read once they are written.
struct PrefixWriter {
  std::span<const Token> prompt;
  uint32_t committed = 0;  // Slots that are written.
};

// Whom to wait for, and until how many of its slots are written.
struct WriterChoice {
  size_t writer = 0;  // Its index.
  uint32_t num_slots = 0;

  friend bool operator==(const WriterChoice&, const WriterChoice&) = default;
};

// Requests that arrive together with a common prefix should compute it once. Of
// `writers`, chooses the one that is about to write most of the full blocks
// that begin `wanted`, the first of equals. nullopt: none is going to write
// more of them than the `num_found` slots that can be found already. What a
// sequence generates is written too slowly to wait for: only prompts count.
std::optional<WriterChoice> ChooseWriter(std::span<const Token> wanted,
                                         uint32_t num_found,
                                         std::span<const PrefixWriter> writers,
                                         uint32_t block_size);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_POLICY_PREFIX_WRITER_H_
