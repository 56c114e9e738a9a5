#ifndef QUIRE_SCHEDULER_TEXT_SENTENCEPIECE_BPE_H_
#define QUIRE_SCHEDULER_TEXT_SENTENCEPIECE_BPE_H_

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "scheduler/text/merge_table.h"
#include "scheduler/text/run_encoder.h"
#include "scheduler/text/symbol_merger.h"
#include "scheduler/text/tokenizer_data.h"
#include "scheduler/text/whole_words.h"

namespace quire {

// Byte pair encoding over characters of the whole run, spaces included
// (SentencePiece: Kudo and Richardson, 2018). A character that ends up as no
// token becomes the tokens of its bytes, or the unknown token. Immutable,
// thread-safe. Does not own the data.
//
// SentencePiece writes a space as U+2581; here both are a space throughout, in
// tokens and in text.
class SentencePieceBpe final : public RunEncoder {
 public:
  // INVALID_ARGUMENT: there are neither tokens for all 256 bytes nor an unknown
  // token that is not a control token. REQUIRES: `data` is valid, of kind
  // kSentencePiece, and neither moves nor changes.
  static absl::StatusOr<std::unique_ptr<SentencePieceBpe>> Create(
      const TokenizerData* data);

  absl::Status Encode(std::string_view run, bool at_start,
                      std::vector<Token>* out) const override;

 private:
  // Encodes the words of one run; holds what one thread needs for it.
  class RunPass;

  explicit SentencePieceBpe(const TokenizerData* data);
  absl::Status CheckFallback() const;
  void AddTokens();
  void AddListedMerges();
  void AddScoredMerges();
  void AddMergesOf(Token token, uint32_t rank);

  // The symbol that a text is: a token, or a character that is only part of
  // some token; kUnknown: none.
  int32_t SymbolOf(std::string_view text) const;
  void ToSymbols(std::string_view word, std::vector<Symbol>* symbols) const;
  std::string Prepare(std::string_view run, bool at_start) const;

  const TokenizerData* data_;
  absl::flat_hash_map<absl::string_view, int32_t> symbols_;
  std::array<Token, 256> byte_tokens_;
  bool has_all_bytes_ = true;
  // No token has a space behind another character, so that each space after one
  // begins a word of its own.
  bool spaces_only_lead_ = true;
  MergeTable merges_;
  WholeWords whole_words_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_SENTENCEPIECE_BPE_H_
