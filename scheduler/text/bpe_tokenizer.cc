#include "scheduler/text/bpe_tokenizer.h"

#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/status_macros.h"
#include "scheduler/text/byte_level_bpe.h"
#include "scheduler/text/sentencepiece_bpe.h"
#include "scheduler/text/unicode.h"
#include "scheduler/text/utf8.h"

namespace quire {
namespace {

// Positions within a run are 32 bits wide.
constexpr size_t kMaxTextBytes = (size_t{1} << 31) - 1;

using TokenType = TokenizerData::TokenType;

std::vector<SpecialToken> SpecialTokensOf(const TokenizerData& data,
                                          bool normalized) {
  std::vector<SpecialToken> tokens;
  for (const SpecialToken& token : data.special_tokens) {
    if (token.is_normalized == normalized) tokens.push_back(token);
  }
  return tokens;
}

absl::Status CheckText(std::string_view text) {
  if (text.size() > kMaxTextBytes) {
    return absl::InvalidArgumentError(absl::StrCat("the text is ", text.size(),
                                                   " bytes long, the limit is ",
                                                   kMaxTextBytes));
  }
  if (const size_t pos = FindInvalidUtf8(text); pos != text.npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("the text is not valid UTF-8 at byte ", pos));
  }
  return absl::OkStatus();
}

// Calls `on_token` with each special token in `text`, `on_text` with what lies
// between; stops at an error.
using OnToken = absl::FunctionRef<absl::Status(const SpecialToken&)>;
using OnText =
    absl::FunctionRef<absl::Status(std::string_view text, bool at_start)>;
absl::Status Partition(const SpecialTokenMatcher& matcher,
                       std::string_view text, bool with_control,
                       OnToken on_token, OnText on_text) {
  size_t pos = 0;
  while (pos < text.size()) {
    const auto match = matcher.Find(text, pos, with_control);
    const size_t end = match.has_value() ? match->begin : text.size();
    if (end > pos)
      QUIRE_RETURN_IF_ERROR(on_text(text.substr(pos, end - pos), pos == 0));
    if (!match.has_value()) break;
    QUIRE_RETURN_IF_ERROR(on_token(*match->token));
    pos = match->end;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Tokenizer>> BpeTokenizer::Create(
    TokenizerData data) {
  QUIRE_RETURN_IF_ERROR(data.Validate());
  std::unique_ptr<BpeTokenizer> tokenizer(new BpeTokenizer(std::move(data)));
  const TokenizerData* kept = &tokenizer->data_;
  if (kept->kind == TokenizerData::Kind::kByteLevel) {
    QUIRE_ASSIGN_OR_RETURN(tokenizer->encoder_, ByteLevelBpe::Create(kept));
  } else {
    QUIRE_ASSIGN_OR_RETURN(tokenizer->encoder_, SentencePieceBpe::Create(kept));
  }
  return tokenizer;
}

BpeTokenizer::BpeTokenizer(TokenizerData data)
    : data_(std::move(data)),
      raw_matcher_(SpecialTokensOf(data_, /*normalized=*/false)),
      normalized_matcher_(SpecialTokensOf(data_, /*normalized=*/true)) {}

absl::StatusOr<std::vector<Token>> BpeTokenizer::Encode(
    std::string_view text, const EncodeOptions& options) const {
  QUIRE_RETURN_IF_ERROR(CheckText(text));
  std::vector<Token> tokens;
  if (options.add_special) tokens = data_.prefix;
  QUIRE_RETURN_IF_ERROR(
      EncodeRun(text, /*at_start=*/true, options.parse_special, &tokens));
  if (options.add_special)
    tokens.insert(tokens.end(), data_.suffix.begin(), data_.suffix.end());
  return tokens;
}

absl::Status BpeTokenizer::EncodeRun(std::string_view run, bool at_start,
                                     bool with_control,
                                     std::vector<Token>* out) const {
  return Partition(
      raw_matcher_, run, with_control,
      [&](const SpecialToken& token) {
        out->push_back(token.id);
        return absl::OkStatus();
      },
      [&](std::string_view text, bool first) {
        if (!data_.normalizes_nfc || IsSurelyNfc(text)) {
          return EncodeNormalized(text, at_start && first, with_control, out);
        }
        return EncodeNormalized(NormalizeNfc(text), at_start && first,
                                with_control, out);
      });
}

absl::Status BpeTokenizer::EncodeNormalized(std::string_view run, bool at_start,
                                            bool with_control,
                                            std::vector<Token>* out) const {
  return Partition(
      normalized_matcher_, run, with_control,
      [&](const SpecialToken& token) {
        out->push_back(token.id);
        return absl::OkStatus();
      },
      [&](std::string_view text, bool first) {
        return encoder_->Encode(text, at_start && first, out);
      });
}

class BpeTokenizer::ChatPass {
 public:
  explicit ChatPass(const BpeTokenizer& tokenizer) : tokenizer_(tokenizer) {}

  absl::Status Add(const TextSegment& segment) {
    QUIRE_RETURN_IF_ERROR(CheckText(segment.text));
    if (segment.kind == TextSegment::Kind::kText) return AddText(segment.text);
    const auto on_token = [&](const SpecialToken& token) {
      return AddToken(token);
    };
    const auto on_text = [&](std::string_view text, bool) {
      return AddText(text);
    };
    return Partition(
        tokenizer_.raw_matcher_, segment.text, /*with_control=*/true, on_token,
        [&](std::string_view text, bool) {
          return Partition(tokenizer_.normalized_matcher_, text,
                           /*with_control=*/true, on_token, on_text);
        });
  }

  absl::StatusOr<std::vector<Token>> Finish() {
    QUIRE_RETURN_IF_ERROR(EndRun());
    return std::move(tokens_);
  }

 private:
  absl::Status AddText(std::string_view text) {
    if (run_.size() + text.size() > kMaxTextBytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("the chat is longer than ", kMaxTextBytes, " bytes"));
    }
    run_.append(text);
    return absl::OkStatus();
  }

  absl::Status AddToken(const SpecialToken& token) {
    if (token.strips_left) run_.resize(TrailingWhitespaceBegin(run_));
    QUIRE_RETURN_IF_ERROR(EndRun());
    tokens_.push_back(token.id);
    strips_next_ = token.strips_right;
    at_start_ = false;
    return absl::OkStatus();
  }

  absl::Status EndRun() {
    std::string_view run = run_;
    if (strips_next_) run.remove_prefix(LeadingWhitespaceEnd(run));
    QUIRE_RETURN_IF_ERROR(
        tokenizer_.EncodeRun(run, at_start_, /*with_control=*/false, &tokens_));
    run_.clear();
    return absl::OkStatus();
  }

  const BpeTokenizer& tokenizer_;
  std::vector<Token> tokens_;
  std::string run_;  // Text that is not encoded yet, since more may follow.
  bool at_start_ = true;
  bool strips_next_ = false;
};

absl::StatusOr<std::vector<Token>> BpeTokenizer::EncodeSegments(
    const std::vector<TextSegment>& segments) const {
  ChatPass pass(*this);
  for (const TextSegment& segment : segments)
    QUIRE_RETURN_IF_ERROR(pass.Add(segment));
  return pass.Finish();
}

std::string_view BpeTokenizer::TokenBytes(Token token) const {
  QUIRE_CHECK(token >= 0 && token < vocabulary_size());
  return data_.tokens[token].bytes;
}

bool BpeTokenizer::IsControl(Token token) const {
  QUIRE_CHECK(token >= 0 && token < vocabulary_size());
  const TokenType type = data_.tokens[token].type;
  return type == TokenType::kControl || type == TokenType::kUnknown;
}

bool BpeTokenizer::strips_leading_space() const {
  return data_.space_prefix != TokenizerData::SpacePrefix::kNever;
}

}  // namespace quire
