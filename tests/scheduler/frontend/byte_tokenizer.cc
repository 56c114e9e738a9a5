#include "tests/scheduler/frontend/byte_tokenizer.h"

#include <array>

#include "absl/strings/str_cat.h"

namespace quire::testing {
namespace {

constexpr std::string_view kControlText[] = {"<bos>", "<eos>", "<turn>"};

// The control token that `text` begins with, or none.
std::optional<Token> ControlAt(std::string_view text) {
  for (int i = 0; i < 3; ++i) {
    if (text.starts_with(kControlText[i])) return ByteTokenizer::kBos + i;
  }
  return std::nullopt;
}

std::array<char, 256> AllBytes() {
  std::array<char, 256> bytes;
  for (int i = 0; i < 256; ++i) bytes[i] = static_cast<char>(i);
  return bytes;
}

}  // namespace

absl::StatusOr<std::vector<Token>> ByteTokenizer::Encode(
    std::string_view text, const EncodeOptions& options) const {
  on_encode();
  if (text.find('\1') != text.npos)
    return absl::InvalidArgumentError("text has byte 1");
  std::vector<Token> tokens;
  if (options.add_special) tokens.push_back(kBos);
  while (!text.empty()) {
    const std::optional<Token> control =
        options.parse_special ? ControlAt(text) : std::nullopt;
    tokens.push_back(control ? *control : static_cast<unsigned char>(text[0]));
    text.remove_prefix(control ? TokenBytes(*control).size() : 1);
  }
  return tokens;
}

absl::StatusOr<std::vector<Token>> ByteTokenizer::EncodeSegments(
    const std::vector<TextSegment>& segments) const {
  std::vector<Token> tokens;
  for (const TextSegment& segment : segments) {
    const bool is_control = segment.kind == TextSegment::Kind::kControl;
    absl::StatusOr<std::vector<Token>> part = Encode(
        segment.text, {.parse_special = is_control, .add_special = false});
    if (!part.ok()) return part;
    tokens.insert(tokens.end(), part->begin(), part->end());
  }
  return tokens;
}

std::string_view ByteTokenizer::TokenBytes(Token token) const {
  static const std::array<char, 256> bytes = AllBytes();
  return token < kBos ? std::string_view(&bytes[token], 1)
                      : kControlText[token - kBos];
}

absl::StatusOr<std::vector<TextSegment>> TurnTemplate::Render(
    const std::vector<ChatTurn>& turns, bool add_generation_prompt) const {
  using Kind = TextSegment::Kind;
  std::vector<TextSegment> segments;
  for (size_t i = 0; i < turns.size(); ++i) {
    if (turns[i].role != "user" && turns[i].role != "assistant")
      return absl::InvalidArgumentError(
          absl::StrCat("message ", i, " has the role ", turns[i].role));
    segments.push_back({Kind::kControl, "<turn>"});
    segments.push_back(
        {Kind::kText, absl::StrCat(turns[i].role, ":", turns[i].content)});
  }
  if (!add_generation_prompt) return segments;
  segments.push_back({Kind::kControl, "<turn>"});
  segments.push_back({Kind::kText, "assistant:"});
  return segments;
}

std::vector<Token> Bytes(std::string_view text) {
  std::vector<Token> tokens;
  for (char c : text) tokens.push_back(static_cast<unsigned char>(c));
  return tokens;
}

}  // namespace quire::testing
