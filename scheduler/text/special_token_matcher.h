#ifndef QUIRE_SCHEDULER_TEXT_SPECIAL_TOKEN_MATCHER_H_
#define QUIRE_SCHEDULER_TEXT_SPECIAL_TOKEN_MATCHER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "scheduler/text/tokenizer_data.h"

namespace quire {

// Finds special tokens in text: the leftmost first, of those that begin
// together the longest. A trie, entered only at bytes with which some special
// token begins, so that ordinary text passes at the speed of a table look-up.
// Immutable, thread-safe.
class SpecialTokenMatcher {
 public:
  // Of two tokens with the same text the first counts.
  explicit SpecialTokenMatcher(std::vector<SpecialToken> tokens);

  struct Match {
    size_t begin;  // With the whitespace that the token takes along.
    size_t end;
    const SpecialToken* token;  // Lives as long as the matcher.
  };
  // The first match at or after `from`; nullopt: none. Control tokens are
  // looked for only where `with_control`. REQUIRES: `text` is valid UTF-8.
  std::optional<Match> Find(std::string_view text, size_t from,
                            bool with_control) const;

  bool empty() const { return tokens_.empty(); }

 private:
  static constexpr int32_t kNoToken = -1;
  // The longest token that is a beginning of text.substr(begin); kNoToken:
  // none.
  int32_t LongestAt(std::string_view text, size_t begin,
                    bool with_control) const;
  std::optional<Match> Accept(std::string_view text, size_t from, size_t begin,
                              const SpecialToken& token) const;
  void Insert(int32_t index);

  std::vector<SpecialToken> tokens_;
  std::array<bool, 256> begins_control_{};
  std::array<bool, 256> begins_other_{};
  // Trie: (node, byte) -> node; node 0 is the root. By node: the token that
  // ends there.
  absl::flat_hash_map<uint64_t, uint32_t> children_;
  std::vector<int32_t> token_at_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_SPECIAL_TOKEN_MATCHER_H_
