#ifndef QUIRE_CLIENT_REPRODUCE_SHARING_SECTIONS_H_
#define QUIRE_CLIENT_REPRODUCE_SHARING_SECTIONS_H_

#include "client/reproduce_runs.h"
#include "client/reproduce_table.h"

namespace quire {

// The sections about blocks that several sequences hold: samples of a prompt,
// beams, and prompts that begin alike.
ReproducedSection ParallelSampling(ReproduceRuns& runs);
ReproducedSection BeamSearch(ReproduceRuns& runs);
ReproducedSection SharedPrefix(ReproduceRuns& runs);

}  // namespace quire

#endif  // QUIRE_CLIENT_REPRODUCE_SHARING_SECTIONS_H_
