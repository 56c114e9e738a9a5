#include "scheduler/text/oniguruma_syntax.h"

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/modelfile/error_text.h"
#include "common/status_macros.h"

namespace quire {
namespace {

constexpr std::string_view kSameEscapes = "pPdDrntfx";

bool IsAsciiAlphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
         (c >= 'a' && c <= 'z');
}

class Translator {
 public:
  explicit Translator(std::string_view regex) : regex_(regex) {}

  absl::StatusOr<std::string> Translate() {
    while (pos_ < regex_.size()) {
      if (regex_[pos_] == '\\') {
        QUIRE_RETURN_IF_ERROR(Escape());
      } else if (in_class_) {
        QUIRE_RETURN_IF_ERROR(InClass());
      } else {
        QUIRE_RETURN_IF_ERROR(Outside());
      }
    }
    return std::move(out_);
  }

 private:
  bool At(std::string_view text) const {
    return regex_.substr(pos_, text.size()) == text;
  }

  absl::Status Unknown(std::string_view what) const {
    return absl::UnimplementedError(absl::StrCat(
        "split pattern ", Quoted(regex_), " uses ", std::string(what),
        " at byte ", pos_, ", which is not supported"));
  }

  void Copy(size_t count) {
    out_.append(regex_.substr(pos_, count));
    pos_ += count;
  }

  absl::Status Escape() {
    if (pos_ + 1 == regex_.size()) return Unknown("a lone \\");
    const char c = regex_[pos_ + 1];
    if (c == 's' || c == 'S') {
      out_.append(c == 's' ? "\\p{White_Space}" : "\\P{White_Space}");
      pos_ += 2;
      return absl::OkStatus();
    }
    if (IsAsciiAlphanumeric(c) && kSameEscapes.find(c) == kSameEscapes.npos) {
      return Unknown(Quoted(regex_.substr(pos_, 2)));
    }
    // The name of a property or the digits of a character, with their braces.
    const bool braced =
        regex_.substr(pos_ + 2, 1) == "{" && (c == 'p' || c == 'P' || c == 'x');
    const size_t close = braced ? regex_.find('}', pos_) : regex_.npos;
    Copy(close == regex_.npos ? 2 : close + 1 - pos_);
    return absl::OkStatus();
  }

  absl::Status InClass() {
    // A "]" that comes first means itself to PCRE2, and is an empty class to
    // Oniguruma.
    if (At("[")) return Unknown("a class within a class");
    if (At("&&")) return Unknown("&&");
    if (At("]")) {
      if (pos_ == class_begin_) return Unknown("an empty class");
      in_class_ = false;
    }
    Copy(1);
    return absl::OkStatus();
  }

  absl::Status Outside() {
    if (At("[")) {
      in_class_ = true;
      Copy(At("[^") ? 2 : 1);
      class_begin_ = pos_;
      return absl::OkStatus();
    }
    if (At("(?") && !KnownGroup()) return Unknown("a group of an unusual kind");
    if (At("(*")) return Unknown("(*");
    if (At("}+"))
      return Unknown(
          "}+");  // Possessive to PCRE2, two repetitions to Oniguruma.
    Copy(1);
    return absl::OkStatus();
  }

  bool KnownGroup() const {
    for (const std::string_view group :
         {"(?:", "(?i:", "(?=", "(?!", "(?<=", "(?<!", "(?>"}) {
      if (At(group)) return true;
    }
    return false;
  }

  const std::string_view regex_;
  size_t pos_ = 0;
  bool in_class_ = false;
  size_t class_begin_ = 0;
  std::string out_;
};

}  // namespace

absl::StatusOr<std::string> OnigurumaToPcre2(std::string_view regex) {
  return Translator(regex).Translate();
}

}  // namespace quire
