#ifndef QUIRE_CLIENT_SIMULATION_FLAGS_H_
#define QUIRE_CLIENT_SIMULATION_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "scheduler/sim/offered_load.h"
#include "scheduler/sim/simulation_run.h"

namespace quire {

// The flags of the commands that simulate: a model and its memory, what is
// asked of it, and how it is served. Those of scheduling are named as the
// scheduler's own.

// Their names before `own`, those of one command, and --json behind.
std::vector<std::string> WithSimulationFlags(std::vector<std::string> own);

// What the flags' help does not say; whole lines.
std::string SimulationFlagsHelp();

// The model on its machine, and who serves it.
absl::StatusOr<RunOptions> RunOptionsFromFlags();

// What is asked of a model with a context of so many tokens: at the rate of
// --rate, or of 1, or as recorded.
absl::StatusOr<OfferedLoad> LoadFromFlags(uint32_t context_length);

// --seed, or 1.
uint64_t SeedFromFlags();

}  // namespace quire

#endif  // QUIRE_CLIENT_SIMULATION_FLAGS_H_
