#ifndef QUIRE_SCHEDULER_TEXT_STOP_MATCHER_H_
#define QUIRE_SCHEDULER_TEXT_STOP_MATCHER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quire {

// Finds the first of several stop strings in a stream of text, wherever token
// borders fall. Holds back only a suffix that can still become a match.
// Aho-Corasick, O(1) per byte (Aho and Corasick, 1975). For one sequence; not
// thread-safe.
class StopMatcher {
 public:
  // REQUIRES: no stop string is empty. None at all: everything passes through
  // at once.
  explicit StopMatcher(std::vector<std::string> stops);

  struct Result {
    std::string text;                 // What can be shown now.
    std::optional<std::string> stop;  // The stop string that was completed.
                                      // `text` then ends where it begins.
  };
  // Of several matches the one that ends first wins, of those the one that
  // begins first. After a match, nothing more may be appended. Never cuts a
  // UTF-8 character, given that `text` does not.
  Result Append(std::string_view text);
  // At the end of the stream: what was held back.
  std::string Flush();

 private:
  static constexpr int kRoot = 0;
  static constexpr int kNone = -1;

  // A beginning of some stop string.
  struct Node {
    std::vector<std::pair<char, int>> children;
    size_t depth = 0;  // Bytes.
    int longest_suffix =
        0;  // The node of the longest proper suffix that is a beginning too.
    int longest_stop = kNone;  // The longest stop string that is a suffix.
  };

  int Child(int node, char byte) const;
  int Step(int node, char byte) const;
  void Insert(int stop);
  void LinkSuffixes();

  std::vector<std::string> stops_;
  std::vector<Node> nodes_;
  int state_ = kRoot;
  std::string held_;  // As long as state_ is deep.
  bool is_done_ = false;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_STOP_MATCHER_H_
