#ifndef QUIRE_CLIENT_TRACE_FILE_H_
#define QUIRE_CLIENT_TRACE_FILE_H_

#include <istream>
#include <string>

#include "absl/status/statusor.h"
#include "scheduler/sim/trace.h"

namespace quire {

// Reads a recorded trace and orders it by arrival: a line of JSON a request,
// with "arrival_s"; "prompt_ids" or their number, "prompt_tokens"; "max_tokens"
// or "output_tokens"; and perhaps "n", its sequences, and beside
// "prompt_tokens" the number of "shared_tokens", the first ones, which all of
// its "group" begin with. INVALID_ARGUMENT names the line, the field, its value
// and what it must be.
absl::StatusOr<Trace> ReadTrace(std::istream& in);

}  // namespace quire

#endif  // QUIRE_CLIENT_TRACE_FILE_H_
