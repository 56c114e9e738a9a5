#ifndef QUIRE_CLIENT_PROMPT_FLAGS_H_
#define QUIRE_CLIENT_PROMPT_FLAGS_H_

#include <istream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "quire/v1/quire.pb.h"

namespace quire {

// The flags that say what a prompt is and how it is read.
std::vector<std::string> PromptFlagNames();

// The one text that `arguments` give; "-" stands for all of `in`.
// INVALID_ARGUMENT where there is none or more than one, or it is not UTF-8.
absl::StatusOr<std::string> TextArgument(
    const std::vector<std::string>& arguments, std::istream& in);

// Sets the request's prompt: --token_ids, or the text argument, with --chat as
// a user's message behind --system. INVALID_ARGUMENT where these contradict
// each other.
absl::Status SetPrompt(const std::vector<std::string>& arguments,
                       std::istream& in, quire::v1::GenerateRequest& request);

// What --system says, or "".
std::string SystemMessageFromFlags();

// How text is read: --parse_special and --add_special.
bool ParseSpecialFromFlags();
bool AddSpecialFromFlags();

}  // namespace quire

#endif  // QUIRE_CLIENT_PROMPT_FLAGS_H_
