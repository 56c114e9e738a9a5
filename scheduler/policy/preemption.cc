#include "scheduler/policy/preemption.h"

#include "common/named_values.h"

namespace quire {
namespace {

constexpr NamedValue<PreemptionMode> kModes[] = {
    {"auto", PreemptionMode::kAuto},
    {"recompute", PreemptionMode::kRecompute},
    {"swap", PreemptionMode::kSwap}};

}  // namespace

bool AbslParseFlag(absl::string_view text, PreemptionMode* mode,
                   std::string* error) {
  return ParseNamedValue(kModes, text, mode, error);
}

std::string AbslUnparseFlag(PreemptionMode mode) {
  return NameOf(kModes, mode);
}

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

Preemption ChoosePreemption(PreemptionMode mode, const VictimCost& victim,
                            uint32_t num_free_host_blocks,
                            const WorkRates& rates) {
  if (mode == PreemptionMode::kRecompute || !victim.can_be_swapped ||
      victim.num_blocks == 0 || victim.num_blocks > num_free_host_blocks) {
    return Preemption::kRecompute;
  }
  if (mode == PreemptionMode::kSwap || !rates.ns_per_swapped_block) {
    return Preemption::kSwap;
  }
  if (!rates.ns_per_prompt_row) return Preemption::kRecompute;
  const double recompute =
      *rates.ns_per_prompt_row * static_cast<double>(victim.num_rows);
  const double swap =
      2 * *rates.ns_per_swapped_block * static_cast<double>(victim.num_blocks);
  return swap < recompute ? Preemption::kSwap : Preemption::kRecompute;
}

}  // namespace quire
