#ifndef QUIRE_COMMON_MODELFILE_ERROR_TEXT_H_
#define QUIRE_COMMON_MODELFILE_ERROR_TEXT_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace quire {

// A name out of a file as it may stand in a message: quoted, escaped, cut after
// 80 bytes. A hostile name can neither forge a log line nor flood it.
std::string Quoted(std::string_view name);

// The same error with the file's path before its message; OK stays OK.
absl::Status InFile(std::string_view path, const absl::Status& status);

}  // namespace quire

#endif  // QUIRE_COMMON_MODELFILE_ERROR_TEXT_H_
