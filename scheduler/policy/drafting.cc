#include "scheduler/policy/drafting.h"

#include <algorithm>
#include <cstddef>

namespace quire {
namespace {

constexpr size_t kLongestMatch = 3;

// Where the text goes on after the latest earlier place that has its last
// `length` tokens; 0: there is none.
size_t FindContinuation(std::span<const Token> tokens, size_t length) {
  const std::span<const Token> last = tokens.last(length);
  for (size_t end = tokens.size() - 1; end >= length; --end) {
    if (tokens[end - 1] != last.back()) continue;
    if (std::ranges::equal(tokens.subspan(end - length, length), last)) {
      return end;
    }
  }
  return 0;
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
  size_t next = 0;
  for (size_t n = std::min(kLongestMatch, tokens.size() - 1);
       n > 0 && next == 0; --n) {
    next = FindContinuation(tokens, n);
  }
  if (next == 0 || num_drafts == 0) return;
  // Behind the end, guesses follow guesses.
  for (size_t i = next; drafts.size() < num_in_flight + num_drafts; ++i) {
    drafts.push_back(i < tokens.size() ? tokens[i] : drafts[i - tokens.size()]);
  }
  drafts.erase(drafts.begin(), drafts.begin() + num_in_flight);
}

}  // namespace quire
