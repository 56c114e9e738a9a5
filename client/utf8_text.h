#ifndef QUIRE_CLIENT_UTF8_TEXT_H_
#define QUIRE_CLIENT_UTF8_TEXT_H_

#include <string>

#include "absl/status/status.h"

namespace quire {

// INVALID_ARGUMENT, naming the first wrong byte's place, where `text` is not
// UTF-8. Asked before sending: the protocol carries nothing else as text, and
// the server could not say what is wrong.
absl::Status CheckUtf8(const std::string& text);

}  // namespace quire

#endif  // QUIRE_CLIENT_UTF8_TEXT_H_
