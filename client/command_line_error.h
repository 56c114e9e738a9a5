#ifndef QUIRE_CLIENT_COMMAND_LINE_ERROR_H_
#define QUIRE_CLIENT_COMMAND_LINE_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace quire {

// INVALID_ARGUMENT for what the command line itself lacks or contradicts. It
// ends with another exit code than what a server or a file refuses with the
// same status.
absl::Status CommandLineError(absl::string_view message);

// Whether CommandLineError made it.
bool IsCommandLineError(const absl::Status& status);

}  // namespace quire

#endif  // QUIRE_CLIENT_COMMAND_LINE_ERROR_H_
