#include "scheduler/policy/batch_composition.h"

#include <algorithm>

namespace quire {

BatchRoom DealRows(const BatchRoom& room, std::span<const uint32_t> wanted,
                   std::vector<uint32_t>& granted) {
  granted.assign(wanted.size(), 0);
  uint32_t left = room.rows;
  for (const bool decodes : {true, false}) {
    for (size_t i = 0; i < wanted.size(); ++i) {
      if ((wanted[i] == 1) != decodes) continue;
      granted[i] = std::min(wanted[i], left);
      left -= granted[i];
    }
  }
  const uint32_t num_running = static_cast<uint32_t>(wanted.size());
  return {.rows = left,
          .sequences = room.sequences - std::min(room.sequences, num_running)};
}

}  // namespace quire
