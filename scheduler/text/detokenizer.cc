#include "scheduler/text/detokenizer.h"

#include <string_view>
#include <utility>

#include "scheduler/text/utf8.h"

namespace quire {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

}  // namespace

Detokenizer::Detokenizer(const Tokenizer* tokenizer, ControlTokens control)
    : tokenizer_(tokenizer),
      control_(control),
      strips_next_space_(control == ControlTokens::kShow &&
                         tokenizer->strips_leading_space()) {}

std::string Detokenizer::Append(Token token) {
  if (control_ == ControlTokens::kHide && tokenizer_->IsControl(token))
    return "";
  std::string_view added = tokenizer_->TokenBytes(token);
  if (std::exchange(strips_next_space_, false) && !added.empty() &&
      added.front() == ' ')
    added.remove_prefix(1);

  carry_.append(added);
  std::string text;
  std::string_view rest = carry_;
  while (!rest.empty()) {
    const Utf8Scan scan = ScanUtf8(rest);
    if (scan.kind == Utf8Scan::Kind::kIncomplete) break;
    text.append(scan.kind == Utf8Scan::Kind::kCharacter
                    ? rest.substr(0, scan.length)
                    : kReplacement);
    rest.remove_prefix(scan.length);
  }
  carry_.erase(0, carry_.size() - rest.size());
  return text;
}

std::string Detokenizer::Flush() {
  if (carry_.empty()) return "";
  carry_.clear();
  return std::string(kReplacement);
}

}  // namespace quire
