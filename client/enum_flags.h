#ifndef QUIRE_CLIENT_ENUM_FLAGS_H_
#define QUIRE_CLIENT_ENUM_FLAGS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "quire/v1/quire.pb.h"

// Enums of the API as people write them. Found by abseil's flags.
namespace quire::v1 {

// low, normal or high.
bool AbslParseFlag(absl::string_view text, Priority* priority,
                   std::string* error);
std::string AbslUnparseFlag(Priority priority);

// true, false or never.
bool AbslParseFlag(absl::string_view text, EarlyStopping* early_stopping,
                   std::string* error);
std::string AbslUnparseFlag(EarlyStopping early_stopping);

}  // namespace quire::v1

#endif  // QUIRE_CLIENT_ENUM_FLAGS_H_
