#include "common/grpc_status.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/strings.h"

namespace quire {
namespace {

constexpr std::string_view kCut = "...";

bool ContinuesCharacter(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

std::string Shortened(std::string_view message) {
  if (message.size() <= kMaxStatusMessageBytes) return std::string(message);
  size_t end = kMaxStatusMessageBytes - kCut.size();
  while (end > 0 && ContinuesCharacter(message[end])) --end;
  return absl::StrCat(ToAbsl(message.substr(0, end)), ToAbsl(kCut));
}

}  // namespace

grpc::Status ToGrpcStatus(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  // Both enumerations are the canonical codes; code() maps all others to
  // UNKNOWN.
  const auto code = static_cast<grpc::StatusCode>(status.code());
  return grpc::Status(code, Shortened(ToStd(status.message())));
}

}  // namespace quire
