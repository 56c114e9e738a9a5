#ifndef QUIRE_COMMON_GRPC_STATUS_H_
#define QUIRE_COMMON_GRPC_STATUS_H_

#include <cstddef>

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

namespace quire {

// Longest message that goes out: bytes. gRPC carries it as a header,
// percent-encoded (up to three times the size), and clients refuse headers of
// more than 8 KiB.
inline constexpr size_t kMaxStatusMessageBytes = 1024;

// The one way from our statuses to the other side's: the same code, the message
// cut, between characters, to kMaxStatusMessageBytes with "..." at the end.
// Payloads stay here.
grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace quire

#endif  // QUIRE_COMMON_GRPC_STATUS_H_
