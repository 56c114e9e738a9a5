#include "client/command_line_error.h"

#include "absl/strings/cord.h"

namespace quire {
namespace {

constexpr char kMark[] = "quire/command_line_error";

}  // namespace

absl::Status CommandLineError(absl::string_view message) {
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kMark, absl::Cord());
  return status;
}

bool IsCommandLineError(const absl::Status& status) {
  return status.GetPayload(kMark).has_value();
}

}  // namespace quire
