#include "scheduler/policy/drafting.h"

#include <algorithm>
#include <cstddef>

namespace quire {
namespace {

constexpr size_t kShortestMatch = 2;
constexpr size_t kLongestMatch = 3;

// How many tokens before `end` are the text's last ones, up to kLongestMatch.
size_t MatchLength(std::span<const Token> tokens, size_t end) {
  size_t length = 0;
  while (length < std::min(kLongestMatch, end) &&
         tokens[end - 1 - length] == tokens[tokens.size() - 1 - length]) {
    ++length;
  }
  return length;
}

// Where the text goes on behind the latest of the longest matches; 0: none.
size_t FindContinuation(std::span<const Token> tokens) {
  size_t best = 0;
  size_t longest = kShortestMatch - 1;
  for (size_t end = tokens.size() - 1; end > 0; --end) {
    const size_t length = MatchLength(tokens, end);
    if (length <= longest) continue;
    best = end;
    longest = length;
    if (longest == kLongestMatch) break;
  }
  return best;
}

}  // namespace

uint32_t DraftsForEach(const DraftRoom& room) {
  if (room.num_sequences == 0 || room.num_rows >= room.cheap_rows) return 0;
  return std::min(room.max_drafts,
                  (room.cheap_rows - room.num_rows) / room.num_sequences);
}

void GuessFromText(std::span<const Token> tokens, uint32_t num_in_flight,
                   uint32_t num_drafts, std::vector<Token>& drafts) {
  drafts.clear();
  if (num_drafts == 0) return;
  const size_t next = FindContinuation(tokens);
  if (next == 0) return;
  // Behind the end, guesses follow guesses.
  for (size_t i = next; drafts.size() < num_in_flight + num_drafts; ++i) {
    drafts.push_back(i < tokens.size() ? tokens[i] : drafts[i - tokens.size()]);
  }
  drafts.erase(drafts.begin(), drafts.begin() + num_in_flight);
}

void GuessPace::Observe(uint32_t num_tokens, uint32_t num_right) {
  constexpr uint32_t kLongestPause = 63;
  pause_ = num_right > 0 ? 0 : std::min(2 * pause_ + 1, kLongestPause);
  next_ = num_tokens + num_right + 1 + pause_;
}

}  // namespace quire
