#ifndef QUIRE_TESTS_COMMON_MODELFILE_IS_ERROR_H_
#define QUIRE_TESTS_COMMON_MODELFILE_IS_ERROR_H_

#include <gmock/gmock.h>

#include <ostream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace quire::testing {

inline const absl::Status& GetStatus(const absl::Status& status) {
  return status;
}
template <typename T>
const absl::Status& GetStatus(const absl::StatusOr<T>& result) {
  return result.status();
}

// A Status or StatusOr with this code, whose message has `text` in it and fits
// on a line.
MATCHER_P2(IsError, code, text,
           "an error " + absl::StatusCodeToString(code) + " about \"" +
               std::string(text) + "\"") {
  const absl::Status& status = GetStatus(arg);
  *result_listener << status.ToString();
  const std::string message(status.message());
  return status.code() == code && message.find(text) != std::string::npos &&
         message.find('\n') == std::string::npos && message.size() < 500;
}

inline auto IsInvalid(const std::string& text) {
  return IsError(absl::StatusCode::kInvalidArgument, text);
}
inline auto IsUnimplemented(const std::string& text) {
  return IsError(absl::StatusCode::kUnimplemented, text);
}

MATCHER(IsOk, "OK") {
  *result_listener << GetStatus(arg).ToString();
  return GetStatus(arg).ok();
}

}  // namespace quire::testing

#endif  // QUIRE_TESTS_COMMON_MODELFILE_IS_ERROR_H_
