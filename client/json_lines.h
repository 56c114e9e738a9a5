#ifndef QUIRE_CLIENT_JSON_LINES_H_
#define QUIRE_CLIENT_JSON_LINES_H_

#include <functional>
#include <istream>

#include "absl/status/status.h"
#include "nlohmann/json.hpp"

namespace quire {

// Hands over each line of `in`, parsed; empty lines are skipped. Stops at the
// first error: a line that cannot be read or is no JSON object, or what `take`
// returns. An error's message names the line.
absl::Status ForEachJsonLine(
    std::istream& in,
    const std::function<absl::Status(const nlohmann::json&)>& take);

}  // namespace quire

#endif  // QUIRE_CLIENT_JSON_LINES_H_
