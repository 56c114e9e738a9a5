#include "scheduler/text/sentencepiece_bpe.h"

#include <algorithm>
#include <utility>

#include "common/status_macros.h"
#include "common/strings.h"
#include "scheduler/text/sentencepiece_text.h"
#include "scheduler/text/utf8.h"

namespace quire {
namespace {

using TokenType = TokenizerData::TokenType;

// Calls `visit` with each character; one that is not valid UTF-8 is cut into
// bytes.
template <typename Visit>
void ForEachCharacter(std::string_view text, Visit visit) {
  for (size_t pos = 0; pos < text.size();) {
    const Utf8Scan scan = ScanUtf8(text.substr(pos));
    const size_t length =
        scan.kind == Utf8Scan::Kind::kCharacter ? scan.length : 1;
    visit(pos, text.substr(pos, length));
    pos += length;
  }
}

bool HasSpaceBehindAnother(std::string_view token) {
  const size_t letter = token.find_first_not_of(' ');
  return letter != token.npos && token.find(' ', letter) != token.npos;
}

}  // namespace

absl::StatusOr<std::unique_ptr<SentencePieceBpe>> SentencePieceBpe::Create(
    const TokenizerData* data) {
  std::unique_ptr<SentencePieceBpe> encoder(new SentencePieceBpe(data));
  QUIRE_RETURN_IF_ERROR(encoder->CheckFallback());
  return encoder;
}

SentencePieceBpe::SentencePieceBpe(const TokenizerData* data) : data_(data) {
  AddTokens();
  if (data->scores.empty()) {
    AddListedMerges();
  } else {
    AddScoredMerges();
  }
  whole_words_.AddTokens(
      *data_, merges_,
      [this](std::string_view word, std::vector<Symbol>* symbols) {
        ToSymbols(word, symbols);
      });
}

absl::Status SentencePieceBpe::CheckFallback() const {
  if (has_all_bytes_ || data_->unknown_token) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "the vocabulary has neither tokens <0x00> to <0xFF> nor an unknown token "
      "for characters that it lacks");
}

void SentencePieceBpe::AddTokens() {
  byte_tokens_.fill(WholeWords::kNone);
  for (size_t id = 0; id < data_->tokens.size(); ++id) {
    const TokenizerData::Entry& token = data_->tokens[id];
    if (token.type == TokenType::kByte) {
      byte_tokens_[static_cast<unsigned char>(token.bytes[0])] =
          static_cast<Token>(id);
    } else if (token.type == TokenType::kNormal && !token.bytes.empty()) {
      symbols_.try_emplace(ToAbsl(token.bytes), static_cast<int32_t>(id));
      if (HasSpaceBehindAnother(token.bytes)) spaces_only_lead_ = false;
    }
  }
  has_all_bytes_ = std::find(byte_tokens_.begin(), byte_tokens_.end(),
                             WholeWords::kNone) == byte_tokens_.end();
}

void SentencePieceBpe::AddListedMerges() {
  uint32_t rank = 0;
  for (const TokenizerData::Merge& merge : data_->merges) {
    // Text must never turn into a control token.
    if (data_->tokens[merge.result].type == TokenType::kNormal) {
      merges_.Add(merge.left, merge.right, {rank, merge.result});
    }
    ++rank;
  }
}

void SentencePieceBpe::AddScoredMerges() {
  std::vector<Token> by_score;
  for (size_t id = 0; id < data_->tokens.size(); ++id) {
    const TokenizerData::Entry& token = data_->tokens[id];
    if (token.type != TokenType::kNormal || token.bytes.empty()) continue;
    by_score.push_back(static_cast<Token>(id));
    // Characters that are no token still are symbols while tokens are being
    // merged from them.
    ForEachCharacter(token.bytes, [&](size_t, std::string_view character) {
      symbols_.try_emplace(
          ToAbsl(character),
          static_cast<int32_t>(data_->tokens.size() + symbols_.size()));
    });
  }
  const auto score = [&](Token id) { return data_->scores[id]; };
  std::stable_sort(by_score.begin(), by_score.end(),
                   [&](Token a, Token b) { return score(a) > score(b); });
  uint32_t rank = 0;
  for (size_t i = 0; i < by_score.size(); ++i) {
    if (i > 0 && score(by_score[i]) != score(by_score[i - 1])) ++rank;
    AddMergesOf(by_score[i], rank);
  }
}

void SentencePieceBpe::AddMergesOf(Token token, uint32_t rank) {
  const std::string_view text = data_->tokens[token].bytes;
  if (SymbolOf(text) != token) return;
  ForEachCharacter(text, [&](size_t pos, std::string_view) {
    if (pos == 0) return;
    const int32_t left = SymbolOf(text.substr(0, pos));
    const int32_t right = SymbolOf(text.substr(pos));
    if (left != Symbol::kUnknown && right != Symbol::kUnknown)
      merges_.Add(left, right, {rank, token});
  });
}

int32_t SentencePieceBpe::SymbolOf(std::string_view text) const {
  const auto found = symbols_.find(ToAbsl(text));
  return found == symbols_.end() ? Symbol::kUnknown : found->second;
}

void SentencePieceBpe::ToSymbols(std::string_view word,
                                 std::vector<Symbol>* symbols) const {
  symbols->clear();
  ForEachCharacter(word, [&](size_t pos, std::string_view character) {
    symbols->push_back({SymbolOf(character), static_cast<uint32_t>(pos)});
  });
}

// The run with one sign for a space, and the space that is put before it.
std::string SentencePieceBpe::Prepare(std::string_view run,
                                      bool at_start) const {
  using SpacePrefix = TokenizerData::SpacePrefix;
  std::string text = SpaceSignsToSpaces(run);
  const bool wanted = data_->space_prefix == SpacePrefix::kAlways ||
                      (data_->space_prefix == SpacePrefix::kFirst && at_start);
  const bool redundant = data_->prefix_only_where_missing && text[0] == ' ';
  if (wanted && !redundant) text.insert(0, 1, ' ');
  return text;
}

class SentencePieceBpe::RunPass {
 public:
  RunPass(const SentencePieceBpe& encoder, std::vector<Token>* out)
      : encoder_(encoder), merger_(&encoder.merges_), out_(out) {}

  void EncodeWord(std::string_view word) {
    if (const Token whole = encoder_.whole_words_.Find(word);
        whole != WholeWords::kNone) {
      Put(whole);
      return;
    }
    encoder_.ToSymbols(word, &symbols_);
    merger_.Merge(&symbols_);
    for (size_t i = 0; i < symbols_.size(); ++i) {
      const size_t end =
          i + 1 < symbols_.size() ? symbols_[i + 1].begin : word.size();
      const int32_t id = symbols_[i].id;
      if (id >= 0 && static_cast<size_t>(id) < encoder_.data_->tokens.size()) {
        Put(id);
      } else {
        PutUnknown(word.substr(symbols_[i].begin, end - symbols_[i].begin));
      }
    }
  }

 private:
  void Put(Token token) {
    out_->push_back(token);
    after_unknown_ = false;
  }

  void PutUnknown(std::string_view character) {
    if (encoder_.has_all_bytes_) {
      for (const char byte : character)
        Put(encoder_.byte_tokens_[static_cast<unsigned char>(byte)]);
      return;
    }
    if (!(after_unknown_ && encoder_.data_->fuses_unknown))
      out_->push_back(*encoder_.data_->unknown_token);
    after_unknown_ = true;
  }

  const SentencePieceBpe& encoder_;
  SymbolMerger merger_;
  std::vector<Token>* out_;
  std::vector<Symbol> symbols_;
  bool after_unknown_ = false;
};

absl::Status SentencePieceBpe::Encode(std::string_view run, bool at_start,
                                      std::vector<Token>* out) const {
  if (run.empty()) return absl::OkStatus();
  const std::string text = Prepare(run, at_start);
  RunPass pass(*this, out);
  size_t begin = 0;
  for (size_t pos = text.find(' ', 1); pos != text.npos;
       pos = text.find(' ', pos + 1)) {
    const bool cuts =
        data_->splits_at_spaces || (spaces_only_lead_ && text[pos - 1] != ' ');
    if (!cuts) continue;
    pass.EncodeWord(std::string_view(text).substr(begin, pos - begin));
    begin = pos;
  }
  pass.EncodeWord(std::string_view(text).substr(begin));
  return absl::OkStatus();
}

}  // namespace quire
