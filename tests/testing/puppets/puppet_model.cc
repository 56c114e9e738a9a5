#include "tests/testing/puppets/puppet_model.h"

#include <algorithm>

namespace quire {
namespace {

// The finalizer of SplitMix64: every bit of the result depends on every bit of
// the argument (Steele, Lea and Flood, 2014).
uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

}  // namespace

uint64_t ExtendPrefix(uint64_t prefix, Token token) {
  return Mix(prefix * 31 + static_cast<uint64_t>(token) + 1);
}

Token PuppetToken(uint64_t prefix, uint64_t seed) {
  return static_cast<Token>(Mix(prefix + seed) % (kPuppetLastToken + 1));
}

float PuppetLogprob(uint64_t prefix, Token token) {
  return -static_cast<float>(ExtendPrefix(prefix, token) % 1000 + 1) / 100;
}

std::vector<Token> GenerateAlone(std::span<const Token> prompt,
                                 uint32_t max_tokens,
                                 std::span<const Token> stops,
                                 uint32_t min_tokens, uint64_t seed) {
  uint64_t prefix = kNoPrefix;
  for (Token token : prompt) prefix = ExtendPrefix(prefix, token);
  std::vector<Token> generated;
  while (generated.size() < max_tokens) {
    const Token token = PuppetToken(prefix, seed);
    const bool may_stop = generated.size() >= min_tokens;
    generated.push_back(token);
    prefix = ExtendPrefix(prefix, token);
    if (may_stop && std::ranges::count(stops, token) > 0) break;
  }
  return generated;
}

std::vector<float> ScorePromptAlone(std::span<const Token> prompt) {
  std::vector<float> scores;
  uint64_t prefix = ExtendPrefix(kNoPrefix, prompt[0]);
  for (Token token : prompt.subspan(1)) {
    scores.push_back(PuppetLogprob(prefix, token));
    prefix = ExtendPrefix(prefix, token);
  }
  return scores;
}

}  // namespace quire
