#include "scheduler/frontend/retry_hint.h"

#include "absl/strings/str_cat.h"

namespace quire {

void AddRetryHint(const absl::Status& status,
                  grpc::ServerContextBase* context) {
  if (!absl::IsResourceExhausted(status)) return;
  context->AddTrailingMetadata(
      kRetryAfterTrailer, absl::StrCat(absl::ToInt64Milliseconds(kRetryAfter)));
}

}  // namespace quire
