#ifndef QUIRE_SCHEDULER_TEXT_WHOLE_WORDS_H_
#define QUIRE_SCHEDULER_TEXT_WHOLE_WORDS_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "common/ids.h"
#include "common/strings.h"
#include "scheduler/text/merge_table.h"
#include "scheduler/text/symbol_merger.h"
#include "scheduler/text/tokenizer_data.h"

namespace quire {

// Words that are known to become one token, so that most of a text needs no
// merging. Does not own the words. Immutable once filled; then thread-safe.
class WholeWords {
 public:
  static constexpr Token kNone = -1;

  void Add(std::string_view word, Token token) {
    words_.try_emplace(ToAbsl(word), token);
    if (word.size() > longest_) longest_ = word.size();
  }

  // Adds every ordinary token that merging its own text ends in; all of them
  // where the tokenizer takes whole tokens before it merges. to_symbols(word,
  // &symbols) cuts a word into the symbols that merging starts from.
  template <typename ToSymbols>
  void AddTokens(const TokenizerData& data, const MergeTable& merges,
                 const ToSymbols& to_symbols) {
    SymbolMerger merger(&merges);
    std::vector<Symbol> symbols;
    for (size_t id = 0; id < data.tokens.size(); ++id) {
      const TokenizerData::Entry& token = data.tokens[id];
      if (token.type != TokenizerData::TokenType::kNormal ||
          token.bytes.empty())
        continue;
      const auto self = static_cast<Token>(id);
      if (!data.ignore_merges) {
        to_symbols(token.bytes, &symbols);
        merger.Merge(&symbols);
        if (symbols.size() != 1 || symbols[0].id != self) continue;
      }
      Add(token.bytes, self);
    }
  }

  Token Find(std::string_view word) const {
    if (word.size() > longest_) return kNone;
    const auto found = words_.find(ToAbsl(word));
    return found == words_.end() ? kNone : found->second;
  }

 private:
  absl::flat_hash_map<absl::string_view, Token> words_;
  size_t longest_ = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_WHOLE_WORDS_H_
