#ifndef QUIRE_TESTS_TESTING_PUPPETS_PUPPET_MODEL_H_
#define QUIRE_TESTS_TESTING_PUPPETS_PUPPET_MODEL_H_

#include <cstdint>
#include <span>
#include <vector>

#include "common/ids.h"

namespace quire {

// A language model in one line: the next token is a hash of all tokens before
// it. Whoever computes it from anything but exactly these tokens, in this
// order, gets something else.

// Of the empty sequence.
inline constexpr uint64_t kNoPrefix = 0x243f6a8885a308d3;
uint64_t ExtendPrefix(uint64_t prefix, Token token);

// The greatest token that is ever sampled; the least is 0.
inline constexpr Token kPuppetLastToken = 49;
// This one is sampled in a third of places: so it can be guessed.
inline constexpr Token kPuppetFavourite = 41;
Token PuppetToken(uint64_t prefix, uint64_t seed = 0);
// The log-probability of `token` after a prefix: negative.
float PuppetLogprob(uint64_t prefix, Token token);

// The `count` likeliest tokens after a prefix, best first.
std::vector<Token> PuppetTop(uint64_t prefix, uint32_t count);

// What a request gets that has the model to itself: up to and with the first of
// `stops` that comes after `min_tokens` tokens, at most `max_tokens`.
std::vector<Token> GenerateAlone(std::span<const Token> prompt,
                                 uint32_t max_tokens,
                                 std::span<const Token> stops = {},
                                 uint32_t min_tokens = 0, uint64_t seed = 0);

// What a beam search gets that has the model to itself, best first: found by
// looking at every token of every beam.
struct PuppetHypothesis {
  std::vector<Token> tokens;
  double score = 0;
};
struct PuppetSearch {
  uint32_t width = 1;
  double length_penalty = 1;
  bool ends_when_full = false;  // Whether `width` hypotheses are enough.
  bool looks_ahead = false;     // Whether a beam may still grow to max_tokens.
  uint32_t max_tokens = 1;
  uint32_t min_tokens = 0;
  std::vector<Token> stops;
};
std::vector<PuppetHypothesis> SearchAlone(std::span<const Token> prompt,
                                          const PuppetSearch& search);

// The log-probabilities of prompt tokens 1, 2, ...
std::vector<float> ScorePromptAlone(std::span<const Token> prompt);

}  // namespace quire

#endif  // QUIRE_TESTS_TESTING_PUPPETS_PUPPET_MODEL_H_
