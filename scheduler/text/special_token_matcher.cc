#include "scheduler/text/special_token_matcher.h"

#include <algorithm>
#include <utility>

#include "scheduler/text/unicode.h"
#include "scheduler/text/utf8.h"

namespace quire {
namespace {

uint64_t Edge(uint32_t node, char byte) {
  return uint64_t{node} << 8 | static_cast<unsigned char>(byte);
}

bool EndsWithWordCharacter(std::string_view text) {
  size_t begin = text.size();
  while (begin > 0 &&
         (static_cast<unsigned char>(text[--begin]) & 0xC0) == 0x80) {
  }
  return !text.empty() &&
         IsWordCharacter(ScanUtf8(text.substr(begin)).code_point);
}

bool BeginsWithWordCharacter(std::string_view text) {
  return !text.empty() && IsWordCharacter(ScanUtf8(text).code_point);
}

}  // namespace

SpecialTokenMatcher::SpecialTokenMatcher(std::vector<SpecialToken> tokens)
    : tokens_(std::move(tokens)), token_at_{kNoToken} {
  for (size_t i = 0; i < tokens_.size(); ++i) Insert(static_cast<int32_t>(i));
}

void SpecialTokenMatcher::Insert(int32_t index) {
  const SpecialToken& token = tokens_[index];
  uint32_t node = 0;
  for (const char byte : token.text) {
    const auto [child, inserted] = children_.try_emplace(
        Edge(node, byte), static_cast<uint32_t>(token_at_.size()));
    if (inserted) token_at_.push_back(kNoToken);
    node = child->second;
  }
  if (token_at_[node] == kNoToken) token_at_[node] = index;
  const auto first = static_cast<unsigned char>(token.text.front());
  (token.is_control ? begins_control_ : begins_other_)[first] = true;
}

std::optional<SpecialTokenMatcher::Match> SpecialTokenMatcher::Find(
    std::string_view text, size_t from, bool with_control) const {
  if (tokens_.empty()) return std::nullopt;
  for (size_t begin = from; begin < text.size(); ++begin) {
    const auto first = static_cast<unsigned char>(text[begin]);
    if (!begins_other_[first] && !(with_control && begins_control_[first]))
      continue;
    const int32_t index = LongestAt(text, begin, with_control);
    if (index == kNoToken) continue;
    if (auto match = Accept(text, from, begin, tokens_[index])) return match;
    begin += tokens_[index].text.size() -
             1;  // What it covers is not looked at again.
  }
  return std::nullopt;
}

int32_t SpecialTokenMatcher::LongestAt(std::string_view text, size_t begin,
                                       bool with_control) const {
  int32_t longest = kNoToken;
  uint32_t node = 0;
  for (size_t pos = begin; pos < text.size(); ++pos) {
    const auto child = children_.find(Edge(node, text[pos]));
    if (child == children_.end()) break;
    node = child->second;
    const int32_t index = token_at_[node];
    if (index != kNoToken && (with_control || !tokens_[index].is_control))
      longest = index;
  }
  return longest;
}

std::optional<SpecialTokenMatcher::Match> SpecialTokenMatcher::Accept(
    std::string_view text, size_t from, size_t begin,
    const SpecialToken& token) const {
  size_t end = begin + token.text.size();
  if (token.single_word && (EndsWithWordCharacter(text.substr(0, begin)) ||
                            BeginsWithWordCharacter(text.substr(end)))) {
    return std::nullopt;
  }
  if (token.strips_left)
    begin = from + TrailingWhitespaceBegin(text.substr(from, begin - from));
  if (token.strips_right) end += LeadingWhitespaceEnd(text.substr(end));
  return Match{begin, end, &token};
}

}  // namespace quire
