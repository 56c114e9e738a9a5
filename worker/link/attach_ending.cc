#include "worker/link/attach_ending.h"

#include "absl/strings/str_cat.h"
#include "common/strings.h"

namespace quire {
namespace {

// What a rank that cannot meet the others ends with: they come back.
bool IsLossOfOthers(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status);
}

const char* Verb(const AttachEnding& ending) {
  if (ending.is_own) {
    return IsLossOfOthers(ending.status) ? "missed the other ranks of"
                                         : "this worker left";
  }
  if (ending.was_attached) return "lost";
  // Whoever has the rank may leave it at any moment: no IsRefusal.
  if (IsRefusal(ending) || absl::IsAlreadyExists(ending.status)) {
    return "refused by";
  }
  return "cannot reach";
}

}  // namespace

bool IsRefusal(const AttachEnding& ending) {
  switch (ending.status.code()) {
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kUnimplemented:
      return true;
    default:
      return false;
  }
}

std::string DescribeEnding(const AttachEnding& ending,
                           std::string_view address) {
  return absl::StrCat(Verb(ending), " the scheduler at ", ToAbsl(address), ": ",
                      ending.status.ToString());
}

}  // namespace quire
