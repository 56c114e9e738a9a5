#ifndef QUIRE_SCHEDULER_TEXT_BYTE_LEVEL_BPE_H_
#define QUIRE_SCHEDULER_TEXT_BYTE_LEVEL_BPE_H_

#include <array>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "scheduler/text/merge_table.h"
#include "scheduler/text/pre_tokenizer.h"
#include "scheduler/text/run_encoder.h"
#include "scheduler/text/symbol_merger.h"
#include "scheduler/text/tokenizer_data.h"
#include "scheduler/text/whole_words.h"

namespace quire {

// Byte pair encoding over bytes, within words that patterns cut (GPT-2 and most
// models since). A byte that the vocabulary lacks becomes the unknown token
// where there is an ordinary one, and is left out otherwise. Immutable,
// thread-safe. Does not own the data.
class ByteLevelBpe final : public RunEncoder {
 public:
  // INVALID_ARGUMENT, UNIMPLEMENTED: a pattern does not compile. REQUIRES:
  // `data` is valid, of kind kByteLevel, and neither moves nor changes.
  static absl::StatusOr<std::unique_ptr<ByteLevelBpe>> Create(
      const TokenizerData* data);

  absl::Status Encode(std::string_view run, bool at_start,
                      std::vector<Token>* out) const override;

 private:
  ByteLevelBpe(const TokenizerData* data, PreTokenizer pre_tokenizer);
  void AddMerges();
  void ToSymbols(std::string_view word, std::vector<Symbol>* symbols) const;

  const TokenizerData* data_;
  PreTokenizer pre_tokenizer_;
  std::array<int32_t, 256> byte_symbols_;
  Token unknown_ =
      Symbol::kUnknown;  // Written for what has no token; kUnknown: nothing is.
  MergeTable merges_;
  WholeWords whole_words_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_BYTE_LEVEL_BPE_H_
