#ifndef QUIRE_SCHEDULER_TEXT_WHOLE_WORDS_H_
#define QUIRE_SCHEDULER_TEXT_WHOLE_WORDS_H_

#include <cstddef>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "common/ids.h"
#include "common/strings.h"

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
