#include "tests/testing/puppets/puppet_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

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
  const uint64_t draw = Mix(prefix + seed);
  if (draw % 3 == 0) return kPuppetFavourite;
  return static_cast<Token>(draw / 3 % (kPuppetLastToken + 1));
}

float PuppetLogprob(uint64_t prefix, Token token) {
  constexpr uint64_t kSteps = 1'000'000;
  return -static_cast<float>(ExtendPrefix(prefix, token) % kSteps + 1) / 1e5f;
}

std::vector<Token> PuppetTop(uint64_t prefix, uint32_t count) {
  std::vector<Token> tokens(kPuppetLastToken + 1);
  std::iota(tokens.begin(), tokens.end(), 0);
  std::ranges::stable_sort(tokens, std::greater(), [&](Token token) {
    return PuppetLogprob(prefix, token);
  });
  tokens.resize(count);
  return tokens;
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

std::vector<PuppetHypothesis> SearchAlone(std::span<const Token> prompt,
                                          const PuppetSearch& search) {
  struct Beam {
    uint64_t prefix = kNoPrefix;
    std::vector<Token> tokens;
    double sum = 0;
    bool ends = false;
  };
  const auto score = [&](double sum, size_t length) {
    return sum / std::pow(length, search.length_penalty);
  };
  std::vector<Beam> beams(1);
  for (Token token : prompt) {
    beams[0].prefix = ExtendPrefix(beams[0].prefix, token);
  }
  std::vector<PuppetHypothesis> best;
  for (uint32_t length = 1; length <= search.max_tokens; ++length) {
    std::vector<Beam> all;
    for (const Beam& beam : beams) {
      for (Token token = 0; token <= kPuppetLastToken; ++token) {
        const bool stops = std::ranges::count(search.stops, token) > 0;
        if (stops && length <= search.min_tokens) continue;
        Beam& next = all.emplace_back(beam);
        next.prefix = ExtendPrefix(beam.prefix, token);
        next.tokens.push_back(token);
        next.sum += PuppetLogprob(beam.prefix, token);
        next.ends = stops || length == search.max_tokens;
      }
    }
    std::ranges::sort(all, std::greater(), &Beam::sum);
    for (uint32_t rank = 0; rank < search.width; ++rank) {
      if (!all[rank].ends) continue;
      best.push_back({all[rank].tokens, score(all[rank].sum, length)});
    }
    std::ranges::sort(best, std::greater(), &PuppetHypothesis::score);
    if (best.size() > search.width) best.resize(search.width);
    std::erase_if(all, [](const Beam& beam) { return beam.ends; });
    if (all.empty()) break;
    all.resize(search.width);
    beams = std::move(all);
    if (best.size() < search.width) continue;
    if (search.ends_when_full) break;
    const bool grows = search.looks_ahead && search.length_penalty > 0;
    if (score(beams[0].sum, grows ? search.max_tokens : length) <=
        best.back().score) {
      break;
    }
  }
  return best;
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
