#include "common/grpc_status.h"

#include <string>

#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(GrpcStatusTest, EveryCodeHasItsNamesake) {
  const struct {
    absl::StatusCode from;
    grpc::StatusCode to;
  } codes[] = {
      {absl::StatusCode::kCancelled, grpc::StatusCode::CANCELLED},
      {absl::StatusCode::kUnknown, grpc::StatusCode::UNKNOWN},
      {absl::StatusCode::kInvalidArgument, grpc::StatusCode::INVALID_ARGUMENT},
      {absl::StatusCode::kDeadlineExceeded,
       grpc::StatusCode::DEADLINE_EXCEEDED},
      {absl::StatusCode::kNotFound, grpc::StatusCode::NOT_FOUND},
      {absl::StatusCode::kAlreadyExists, grpc::StatusCode::ALREADY_EXISTS},
      {absl::StatusCode::kPermissionDenied,
       grpc::StatusCode::PERMISSION_DENIED},
      {absl::StatusCode::kResourceExhausted,
       grpc::StatusCode::RESOURCE_EXHAUSTED},
      {absl::StatusCode::kFailedPrecondition,
       grpc::StatusCode::FAILED_PRECONDITION},
      {absl::StatusCode::kAborted, grpc::StatusCode::ABORTED},
      {absl::StatusCode::kOutOfRange, grpc::StatusCode::OUT_OF_RANGE},
      {absl::StatusCode::kUnimplemented, grpc::StatusCode::UNIMPLEMENTED},
      {absl::StatusCode::kInternal, grpc::StatusCode::INTERNAL},
      {absl::StatusCode::kUnavailable, grpc::StatusCode::UNAVAILABLE},
      {absl::StatusCode::kDataLoss, grpc::StatusCode::DATA_LOSS},
      {absl::StatusCode::kUnauthenticated, grpc::StatusCode::UNAUTHENTICATED},
  };
  for (const auto& code : codes) {
    const grpc::Status status = ToGrpcStatus(absl::Status(code.from, "why"));
    EXPECT_EQ(status.error_code(), code.to);
    EXPECT_EQ(status.error_message(), "why");
  }
  EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok());
}

TEST(GrpcStatusTest, ACodeThatNobodyKnowsIsUnknown) {
  const grpc::Status status =
      ToGrpcStatus(absl::Status(static_cast<absl::StatusCode>(77), "why"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNKNOWN);
}

std::string Message(const std::string& message) {
  return ToGrpcStatus(absl::InternalError(message)).error_message();
}

TEST(GrpcStatusTest, LongMessagesAreCut) {
  const std::string longest(kMaxStatusMessageBytes, 'x');
  EXPECT_EQ(Message(longest), longest);
  EXPECT_EQ(Message(longest + "x"),
            std::string(kMaxStatusMessageBytes - 3, 'x') + "...");
}

TEST(GrpcStatusTest, NoCharacterIsCutInTwo) {
  // The cut would fall behind the second of the euro sign's three bytes.
  const std::string head(kMaxStatusMessageBytes - 5, 'x');
  EXPECT_EQ(Message(head + "€uro and more"), head + "...");
}

}  // namespace
}  // namespace quire
