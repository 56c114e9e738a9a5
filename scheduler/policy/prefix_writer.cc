#include "scheduler/policy/prefix_writer.h"

#include <algorithm>

namespace quire {

std::optional<WriterChoice> ChooseWriter(std::span<const Token> wanted,
                                         uint32_t num_found,
                                         std::span<const PrefixWriter> writers,
                                         uint32_t block_size) {
  std::optional<WriterChoice> best;
  uint32_t most = num_found;
  for (size_t i = 0; i < writers.size(); ++i) {
    const PrefixWriter& writer = writers[i];
    if (writer.committed >= writer.prompt.size()) continue;
    const auto equal = std::ranges::mismatch(wanted, writer.prompt).in1;
    const uint32_t num_slots =
        static_cast<uint32_t>(equal - wanted.begin()) / block_size * block_size;
    if (num_slots <= most || writer.committed >= num_slots) continue;
    most = num_slots;
    best = {.writer = i, .num_slots = num_slots};
  }
  return best;
}

}  // namespace quire
