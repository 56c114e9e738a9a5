#include "scheduler/text/byte_level_bpe.h"

#include <utility>

#include "common/status_macros.h"

namespace quire {

using TokenType = TokenizerData::TokenType;

absl::StatusOr<std::unique_ptr<ByteLevelBpe>> ByteLevelBpe::Create(
    const TokenizerData* data) {
  QUIRE_ASSIGN_OR_RETURN(PreTokenizer pre_tokenizer,
                         PreTokenizer::Create(data->splits));
  return std::unique_ptr<ByteLevelBpe>(
      new ByteLevelBpe(data, std::move(pre_tokenizer)));
}

ByteLevelBpe::ByteLevelBpe(const TokenizerData* data,
                           PreTokenizer pre_tokenizer)
    : data_(data), pre_tokenizer_(std::move(pre_tokenizer)) {
  byte_symbols_.fill(Symbol::kUnknown);
  for (size_t id = 0; id < data->tokens.size(); ++id) {
    const TokenizerData::Entry& token = data->tokens[id];
    if (token.type != TokenType::kNormal || token.bytes.size() != 1) continue;
    int32_t& symbol = byte_symbols_[static_cast<unsigned char>(token.bytes[0])];
    if (symbol == Symbol::kUnknown) symbol = static_cast<int32_t>(id);
  }
  if (data->unknown_token &&
      data->tokens[*data->unknown_token].type != TokenType::kControl) {
    unknown_ = *data->unknown_token;
  }
  AddMerges();
  whole_words_.AddTokens(
      *data_, merges_,
      [this](std::string_view word, std::vector<Symbol>* symbols) {
        ToSymbols(word, symbols);
      });
}

void ByteLevelBpe::AddMerges() {
  uint32_t rank = 0;
  for (const TokenizerData::Merge& merge : data_->merges) {
    // Text must never turn into a control token.
    if (data_->tokens[merge.result].type == TokenType::kNormal) {
      merges_.Add(merge.left, merge.right, {rank, merge.result});
    }
    ++rank;
  }
}

void ByteLevelBpe::ToSymbols(std::string_view word,
                             std::vector<Symbol>* symbols) const {
  symbols->resize(word.size());
  for (size_t i = 0; i < word.size(); ++i) {
    (*symbols)[i] = {byte_symbols_[static_cast<unsigned char>(word[i])],
                     static_cast<uint32_t>(i)};
  }
}

absl::Status ByteLevelBpe::Encode(std::string_view run, bool /*at_start*/,
                                  std::vector<Token>* out) const {
  SplitPattern::Scratch scratch;
  SymbolMerger merger(&merges_);
  std::vector<Symbol> symbols;
  return pre_tokenizer_.Split(run, &scratch, [&](std::string_view word) {
    if (const Token whole = whole_words_.Find(word);
        whole != WholeWords::kNone) {
      out->push_back(whole);
      return;
    }
    ToSymbols(word, &symbols);
    merger.Merge(&symbols);
    for (const Symbol& symbol : symbols) {
      const Token token = symbol.id == Symbol::kUnknown ? unknown_ : symbol.id;
      if (token != Symbol::kUnknown) out->push_back(token);
    }
  });
}

}  // namespace quire
