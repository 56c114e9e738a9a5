#include "scheduler/server_options.h"

#include "absl/strings/str_cat.h"
#include "common/check_range.h"
#include "common/status_macros.h"
#include "scheduler/listen_address.h"

namespace quire {
namespace {

constexpr uint32_t kMaxBlockSize = 1024;
constexpr uint32_t kMaxWorldSize = 64;

absl::Status CheckDuration(const char* option, absl::Duration value,
                           absl::Duration smallest) {
  if (value >= smallest && value < absl::InfiniteDuration()) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      option, " is ", absl::FormatDuration(value),
      ", must be finite and at least ", absl::FormatDuration(smallest)));
}

}  // namespace

absl::Status ServerOptions::Validate() const {
  if (model.empty()) {
    return absl::InvalidArgumentError(
        "--model is missing: name a GGUF file or a Hugging Face folder");
  }
  for (const std::string& address : {listen, worker_listen, admin_listen}) {
    QUIRE_RETURN_IF_ERROR(ListenAddress::Parse(address).status());
  }
  QUIRE_RETURN_IF_ERROR(CheckRange("block_size", block_size, 1, kMaxBlockSize));
  QUIRE_RETURN_IF_ERROR(CheckRange("world_size", world_size, 1, kMaxWorldSize));
  QUIRE_RETURN_IF_ERROR(
      CheckDuration("step_timeout", step_timeout, absl::Seconds(1)));
  QUIRE_RETURN_IF_ERROR(
      CheckDuration("drain_limit", drain_limit, absl::ZeroDuration()));
  return engine.Validate();
}

}  // namespace quire
