#ifndef QUIRE_SCHEDULER_FRONTEND_GENERATE_RESPONSES_H_
#define QUIRE_SCHEDULER_FRONTEND_GENERATE_RESPONSES_H_

#include <deque>

#include "quire/v1/quire.pb.h"
#include "scheduler/engine/mailbox.h"

namespace quire {

// Tokens of one message at most: with 20 alternatives each about 300 KB, far
// from the 4 MB that clients take by default.
inline constexpr size_t kMaxTokensPerResponse = 1024;

// The messages, in order, that tell a client what a mailbox held; one for each
// sequence unless it is very long. Where the mailbox closed with OK the last
// one carries usage; a failure has no message.
std::deque<v1::GenerateResponse> ToResponses(Mailbox::Contents contents);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_GENERATE_RESPONSES_H_
