#ifndef QUIRE_SCHEDULER_TEXT_STOP_MATCHER_H_
#define QUIRE_SCHEDULER_TEXT_STOP_MATCHER_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quire {

// Finds the first of several stop strings in a stream of text, wherever token borders fall. Holds back only a suffix that
// can still become a match. Aho-Corasick, O(1) per byte (Aho and Corasick, 1975). For one sequence; not thread-safe.
class StopMatcher {
 public:
  // REQUIRES: no stop string is empty. None at all: everything passes through at once.
  explicit StopMatcher(std::vector<std::string> stops);

  struct Result {
    std::string text;               // What can be shown now.
    std::optional<std::string> stop;  // The stop string that was completed. `text` then ends where it begins.
  };
  // Of several matches the one that ends first wins, of those the one that begins first. After a match, nothing more
  // may be appended. Never cuts a UTF-8 character, given that `text` does not.
  Result Append(std::string_view text);
  // At the end of the stream: what was held back.
  std::string Flush();

 private:
  struct Node;
  std::vector<std::string> stops_;
  std::vector<Node> nodes_;
  int state_ = 0;
  std::string held_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_STOP_MATCHER_H_
