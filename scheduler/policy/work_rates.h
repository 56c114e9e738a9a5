#ifndef QUIRE_SCHEDULER_POLICY_WORK_RATES_H_
#define QUIRE_SCHEDULER_POLICY_WORK_RATES_H_

#include <optional>

namespace quire {

// What a group's work takes, as policies estimate what a choice costs. nullopt:
// nobody knows.
struct WorkRates {
  // Of a row that shares its run with others, beyond what a step takes without
  // it: of a prompt, or of what is computed anew.
  std::optional<double> ns_per_prompt_row;
  // Of a step in which every run is one row, but for drafts: a token for each
  // of its sequences, however many these are, or some more.
  std::optional<double> ns_per_decode_step;
  // One way.
  std::optional<double> ns_per_swapped_block;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_POLICY_WORK_RATES_H_
