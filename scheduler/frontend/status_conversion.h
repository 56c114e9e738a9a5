#ifndef QUIRE_SCHEDULER_FRONTEND_STATUS_CONVERSION_H_
#define QUIRE_SCHEDULER_FRONTEND_STATUS_CONVERSION_H_

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/status.h"

namespace quire {

// Longest message that goes out: bytes. gRPC carries it as a header,
// percent-encoded (up to three times the size), and clients refuse headers of
// more than 8 KiB.
inline constexpr size_t kMaxStatusMessageBytes = 1024;

// The one way from our statuses to the client's: the same code, the message
// cut, between characters, to kMaxStatusMessageBytes with "..." at the end.
// Payloads stay here.
grpc::Status ToGrpcStatus(const absl::Status& status);

inline constexpr char kRetryAfterTrailer[] = "retry-after-ms";
// Generations take seconds, so a queue that is full now has moved by then.
inline constexpr absl::Duration kRetryAfter = absl::Seconds(1);

// With RESOURCE_EXHAUSTED, adds the trailer that says when to try again. Call
// before Finish.
void AddRetryHint(const absl::Status& status, grpc::ServerContextBase* context);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_STATUS_CONVERSION_H_
