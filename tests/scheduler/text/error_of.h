#ifndef QUIRE_TESTS_SCHEDULER_TEXT_ERROR_OF_H_
#define QUIRE_TESTS_SCHEDULER_TEXT_ERROR_OF_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace quire::testing {

// "INVALID_ARGUMENT: what is wrong", or "OK".
inline std::string ErrorOf(const absl::Status& status) {
  return status.ToString();
}
template <typename T>
std::string ErrorOf(const absl::StatusOr<T>& result) {
  return result.status().ToString();
}

}  // namespace quire::testing

#endif  // QUIRE_TESTS_SCHEDULER_TEXT_ERROR_OF_H_
