#include "client/utf8_text.h"

#include <utf8proc.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace quire {

absl::Status CheckUtf8(const std::string& text) {
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
  const auto size = static_cast<utf8proc_ssize_t>(text.size());
  for (utf8proc_ssize_t at = 0; at < size;) {
    utf8proc_int32_t character = 0;
    const utf8proc_ssize_t length =
        utf8proc_iterate(bytes + at, size - at, &character);
    if (length <= 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("the text is not UTF-8 at byte ", at));
    }
    at += length;
  }
  return absl::OkStatus();
}

}  // namespace quire
