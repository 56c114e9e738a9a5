#ifndef QUIRE_CLIENT_PREEMPTION_TEXT_H_
#define QUIRE_CLIENT_PREEMPTION_TEXT_H_

#include <string>

#include "quire/v1/quire.pb.h"

namespace quire {

// "3 preemptions (1 by swapping, 1,024 tokens computed again)".
std::string PreemptionsText(const quire::v1::StatusResponse& status);

// "(1 by swapping, 1,024 tokens computed again)".
std::string PreemptionCostText(const quire::v1::StatusResponse& status);

// "12 used of 256, 30 blocks swapped out and 18 in"; empty: the workers offer
// no host blocks.
std::string HostBlocksText(const quire::v1::StatusResponse& status);

}  // namespace quire

#endif  // QUIRE_CLIENT_PREEMPTION_TEXT_H_
