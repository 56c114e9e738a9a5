#ifndef QUIRE_SCHEDULER_TEXT_RUN_ENCODER_H_
#define QUIRE_SCHEDULER_TEXT_RUN_ENCODER_H_

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/ids.h"

namespace quire {

// Turns runs of plain text, in which no special token is looked for, into
// tokens. Never makes a control token. Immutable, thread-safe.
class RunEncoder {
 public:
  virtual ~RunEncoder() = default;

  // Appends the tokens of `run` to `out`. `at_start`: nothing stands before it.
  // INVALID_ARGUMENT: the splitting pattern cannot digest it. REQUIRES: `run`
  // is valid UTF-8 and shorter than 2^31 bytes.
  virtual absl::Status Encode(std::string_view run, bool at_start,
                              std::vector<Token>* out) const = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_RUN_ENCODER_H_
