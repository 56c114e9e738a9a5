#include "scheduler/policy/preemption.h"

namespace quire {

std::vector<size_t> ChooseVictims(std::span<const PreemptionCandidate> running,
                                  size_t needy, uint64_t num_missing) {
  std::vector<size_t> victims;
  uint64_t num_given = 0;
  for (size_t i = running.size() - 1; i > needy; --i) {
    if (running[i].is_protected) continue;
    victims.push_back(i);
    num_given += running[i].num_blocks;
    if (num_given >= num_missing) return victims;
  }
  return {};
}

}  // namespace quire
