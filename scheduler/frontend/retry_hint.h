#ifndef QUIRE_SCHEDULER_FRONTEND_RETRY_HINT_H_
#define QUIRE_SCHEDULER_FRONTEND_RETRY_HINT_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "grpcpp/server_context.h"

namespace quire {

inline constexpr char kRetryAfterTrailer[] = "retry-after-ms";
// Generations take seconds, so a queue that is full now has moved by then.
inline constexpr absl::Duration kRetryAfter = absl::Seconds(1);

// With RESOURCE_EXHAUSTED, adds the trailer that says when to try again. Call
// before Finish.
void AddRetryHint(const absl::Status& status, grpc::ServerContextBase* context);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_RETRY_HINT_H_
