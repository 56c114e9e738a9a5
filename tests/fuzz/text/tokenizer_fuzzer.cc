#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/check.h"
#include "scheduler/text/bpe_tokenizer.h"
#include "scheduler/text/detokenizer.h"
#include "scheduler/text/split_patterns_by_name.h"
#include "scheduler/text/unicode.h"
#include "scheduler/text/utf8.h"
#include "tests/scheduler/text/small_tokenizers.h"

namespace quire {
namespace {

struct Subject {
  std::unique_ptr<Tokenizer> tokenizer;
  bool normalizes = false;
};

Subject ByteLevel(std::string_view split) {
  TokenizerData data = testing::SmallByteLevelData();
  auto named = FindNamedSplit(split);
  data.splits = named->steps;
  data.normalizes_nfc = named->normalizes_nfc;
  return {testing::Make(data), data.normalizes_nfc};
}

const std::vector<Subject>& Subjects() {
  static const auto& subjects = *new std::vector<Subject>([] {
    std::vector<Subject> made;
    for (const char* split :
         {"gpt-2", "smollm", "llama-bpe", "qwen2", "default"})
      made.push_back(ByteLevel(split));
    made.push_back({testing::Make(testing::SmallSentencePieceData())});
    return made;
  }());
  return subjects;
}

// Any bytes, as the nearest valid UTF-8.
std::string ToUtf8(std::string_view bytes) {
  std::string text;
  while (!bytes.empty()) {
    const Utf8Scan scan = ScanUtf8(bytes);
    if (scan.kind == Utf8Scan::Kind::kCharacter)
      text.append(bytes.substr(0, scan.length));
    bytes.remove_prefix(scan.length);
  }
  return text;
}

std::string Decode(const Tokenizer& tokenizer,
                   const std::vector<Token>& tokens) {
  Detokenizer detokenizer(&tokenizer, Detokenizer::ControlTokens::kShow);
  std::string text;
  for (const Token token : tokens) {
    const std::string piece = detokenizer.Append(token);
    QUIRE_CHECK(FindInvalidUtf8(piece) == piece.npos);
    text += piece;
  }
  return text + detokenizer.Flush();
}

std::string WithoutSpaceSigns(std::string text) {
  for (size_t pos; (pos = text.find("\u2581")) != text.npos;)
    text.replace(pos, 3, " ");
  return text;
}

void CheckRoundTrip(const Subject& subject, const std::string& text,
                    bool parse_special) {
  const auto tokens = subject.tokenizer->Encode(
      text, {.parse_special = parse_special, .add_special = false});
  QUIRE_CHECK(tokens.ok());
  if (!parse_special) {
    for (const Token token : *tokens)
      QUIRE_CHECK(!subject.tokenizer->IsControl(token));
  }
  // SentencePiece cannot tell its space sign from a space, and puts a space
  // behind each special token.
  if (subject.tokenizer->strips_leading_space()) {
    if (!parse_special)
      QUIRE_CHECK(Decode(*subject.tokenizer, *tokens) ==
                  WithoutSpaceSigns(text));
    return;
  }
  const std::string decoded = Decode(*subject.tokenizer, *tokens);
  if (!subject.normalizes) QUIRE_CHECK(decoded == text);
  QUIRE_CHECK(NormalizeNfc(decoded) == NormalizeNfc(text));
}

}  // namespace
}  // namespace quire

// A text goes through each kind of tokenizer and comes back.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text = quire::ToUtf8(
      std::string_view(reinterpret_cast<const char*>(data), size));
  for (const quire::Subject& subject : quire::Subjects()) {
    for (const bool parse_special : {false, true})
      quire::CheckRoundTrip(subject, text, parse_special);
  }
  return 0;
}
