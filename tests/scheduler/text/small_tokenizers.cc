#include "tests/scheduler/text/small_tokenizers.h"

#include <utility>

#include "common/check.h"
#include "scheduler/text/bpe_tokenizer.h"
#include "scheduler/text/split_patterns_by_name.h"

namespace quire::testing {
namespace {

using TokenType = TokenizerData::TokenType;

Token Find(const TokenizerData& data, std::string_view bytes) {
  for (size_t id = 0; id < data.tokens.size(); ++id) {
    if (data.tokens[id].bytes == bytes) return static_cast<Token>(id);
  }
  QUIRE_CHECK(false && "no such token");
  return 0;
}

void AddBytes(TokenizerData* data, TokenType type) {
  for (int byte = 0; byte < 256; ++byte)
    AddToken(data, std::string(1, static_cast<char>(byte)), type);
}

}  // namespace

Token AddToken(TokenizerData* data, std::string_view bytes, TokenType type) {
  data->tokens.push_back({std::string(bytes), type});
  return static_cast<Token>(data->tokens.size() - 1);
}

Token AddSpecial(TokenizerData* data, SpecialToken token) {
  token.id = AddToken(
      data, token.text,
      token.is_control ? TokenType::kControl : TokenType::kUserDefined);
  data->special_tokens.push_back(token);
  return token.id;
}

void AddMerge(TokenizerData* data, std::string_view left,
              std::string_view right) {
  const Token left_id = Find(*data, left);
  const Token right_id = Find(*data, right);
  data->merges.push_back(
      {left_id, right_id, Find(*data, std::string(left) + std::string(right))});
}

TokenizerData SmallByteLevelData() {
  TokenizerData data;
  data.kind = TokenizerData::Kind::kByteLevel;
  data.splits = {{.pattern = std::string(Gpt2SplitPattern())}};
  AddBytes(&data, TokenType::kNormal);
  for (const char* word : {"ab", "abc", " a"})
    AddToken(&data, word, TokenType::kNormal);
  AddMerge(&data, "a", "b");
  AddMerge(&data, "ab", "c");
  AddMerge(&data, " ", "a");
  data.bos_token_id = AddSpecial(&data, {.text = "<s>"});
  data.eos_token_ids = {AddSpecial(&data, {.text = "</s>"})};
  AddSpecial(&data, {.text = "<tool>", .is_control = false});
  data.prefix = {*data.bos_token_id};
  return data;
}

TokenizerData SmallSentencePieceData() {
  TokenizerData data;
  data.kind = TokenizerData::Kind::kSentencePiece;
  data.space_prefix = TokenizerData::SpacePrefix::kAlways;
  data.unknown_token = AddToken(&data, "<unk>", TokenType::kUnknown);
  AddBytes(&data, TokenType::kByte);
  data.scores.assign(data.tokens.size(), 0);
  for (const char* piece : {"a", "b", " ", "ab", " a", " ab"}) {
    AddToken(&data, piece, TokenType::kNormal);
    data.scores.push_back(-static_cast<float>(data.scores.size()));
  }
  data.bos_token_id = AddSpecial(&data, {.text = "<s>"});
  data.eos_token_ids = {AddSpecial(&data, {.text = "</s>"})};
  data.scores.resize(data.tokens.size(), 0);
  data.prefix = {*data.bos_token_id};
  return data;
}

std::unique_ptr<Tokenizer> Make(TokenizerData data) {
  auto tokenizer = BpeTokenizer::Create(std::move(data));
  QUIRE_CHECK(tokenizer.ok());
  return *std::move(tokenizer);
}

std::vector<std::string> Pieces(const Tokenizer& tokenizer,
                                const std::vector<Token>& tokens) {
  std::vector<std::string> pieces;
  for (const Token token : tokens)
    pieces.emplace_back(tokenizer.TokenBytes(token));
  return pieces;
}

std::vector<std::string> EncodePieces(const Tokenizer& tokenizer,
                                      std::string_view text,
                                      bool parse_special) {
  const auto tokens = tokenizer.Encode(
      text, {.parse_special = parse_special, .add_special = false});
  QUIRE_CHECK(tokens.ok());
  return Pieces(tokenizer, *tokens);
}

}  // namespace quire::testing
