#include "scheduler/policy/preemption.h"

namespace quire {

std::optional<size_t> ChooseVictim(std::span<const PreemptionCandidate> running,
                                   size_t needy) {
  for (size_t i = running.size(); i > needy + 1; --i) {
    if (!running[i - 1].is_protected) return i - 1;
  }
  return std::nullopt;
}

}  // namespace quire
