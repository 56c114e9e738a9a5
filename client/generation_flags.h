#ifndef QUIRE_CLIENT_GENERATION_FLAGS_H_
#define QUIRE_CLIENT_GENERATION_FLAGS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "quire/v1/quire.pb.h"

namespace quire {

// The flags named like the fields of GenerateRequest and its options. A flag
// that is not given leaves its field absent, so the server's default counts;
// the server checks the values.
std::vector<std::string> GenerationFlagNames();

// Sets all of the request but its prompt from the flags. INVALID_ARGUMENT where
// log-probabilities are asked for without --json, which alone shows them.
absl::Status SetOptionsFromFlags(quire::v1::GenerateRequest& request);

}  // namespace quire

#endif  // QUIRE_CLIENT_GENERATION_FLAGS_H_
