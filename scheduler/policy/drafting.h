#ifndef QUIRE_SCHEDULER_POLICY_DRAFTING_H_
#define QUIRE_SCHEDULER_POLICY_DRAFTING_H_

#include <cstdint>
#include <span>
#include <vector>

#include "common/ids.h"

namespace quire {

// Drafted tokens are guesses at how a sequence goes on, computed in the same
// step as the token before them: as many as turn out right are gained at the
// price of one (speculative decoding; Leviathan et al., 2023).

// Room for drafts in a step.
struct DraftRoom {
  uint32_t num_rows = 0;       // That the step has without drafts.
  uint32_t num_sequences = 0;  // That share the room.
  uint32_t cheap_rows = 1;     // A step of so many takes as long as of one.
  uint32_t max_drafts = 0;     // Of a sequence.
};

// Drafts that each sequence may have, so that they cost next to nothing: none
// once the step has rows enough without them.
uint32_t DraftsForEach(const DraftRoom& room);

// Guesses at the tokens behind `tokens`: those that came after the place where
// the last three tokens were seen before, the latest such place; else the last
// two, since one alone says too little (prompt lookup decoding; Saxena, 2023).
// So what is repeated, quoted or edited is guessed well, and nothing has to be
// computed for it. A text that repeats itself is guessed on for ever. The first
// `num_in_flight` guesses, for tokens that are being sampled, are left out.
// Fills `drafts` with the next `num_drafts`, or none. Looks through the text
// once.
void GuessFromText(std::span<const Token> tokens, uint32_t num_in_flight,
                   uint32_t num_drafts, std::vector<Token>& drafts);

// When to guess for one sequence. A wrong guess costs some of a step, so after
// one whose first token was wrong about twice as many tokens pass as after the
// one before, up to 63; a right one starts over.
class GuessPace {
 public:
  bool MayGuess(uint32_t num_tokens) const { return num_tokens >= next_; }
  // Of drafts behind the first `num_tokens` so many were right.
  void Observe(uint32_t num_tokens, uint32_t num_right);

 private:
  uint32_t pause_ = 0;  // Tokens.
  uint32_t next_ = 0;   // Tokens from which on to guess.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_POLICY_DRAFTING_H_
