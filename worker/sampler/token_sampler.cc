#include "worker/sampler/token_sampler.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "worker/sampler/logit_processors.h"
#include "worker/sampler/philox.h"
#include "worker/sampler/sampling_params.h"

namespace quire {
namespace {

// The candidate at which the running sum of weights first exceeds a share of
// their total. REQUIRES: one weighs something.
Token DrawCandidate(std::span<const Candidate> candidates, double share) {
  double total = 0;
  for (const Candidate& c : candidates) total += c.weight;
  double mass = share * total;
  Token last = 0;  // Where rounding leads past the end.
  for (const Candidate& c : candidates) {
    if (c.weight == 0) continue;
    last = c.token_logit.token;
    if ((mass -= c.weight) < 0) break;
  }
  return last;
}

}  // namespace

bool TokenSampler::Choose(const TokenHistory& history, int64_t position,
                          std::span<const float> logits, TokenReport* choice) {
  const RawDistribution raw(logits);
  if (!raw.valid()) return false;
  std::span<const float> processed = logits;
  Token best = raw.best();
  if (HasLogitProcessors(history, position)) {
    processed_.assign(logits.begin(), logits.end());
    ApplyLogitProcessors(history, position, processed_);
    processed = processed_;
    best = ArgMax(processed);
  }
  const float max = processed[best];
  if (!std::isfinite(max)) {
    choice->token = raw.best();
  } else if (history.params().is_greedy()) {
    choice->token = best;
  } else {
    choice->token = Draw(history.params(), position, processed, max);
  }
  choice->logprob = raw.Logprob(logits[choice->token]);
  FillTop(raw, logits, history.params().top_logprobs, &choice->top);
  return true;
}

bool TokenSampler::Score(std::span<const float> logits, int num_top,
                         TokenReport* scored) {
  const RawDistribution raw(logits);
  if (!raw.valid()) return false;
  scored->logprob = raw.Logprob(logits[scored->token]);
  FillTop(raw, logits, num_top, &scored->top);
  return true;
}

Token TokenSampler::Draw(const SamplingParams& params, int64_t position,
                         std::span<const float> logits, float max) {
  weights_.resize(logits.size());
  const double total =
      ExponentialWeights(logits, max, params.temperature, weights_);
  const double share = UniformAt(params.seed, static_cast<uint64_t>(position),
                                 RandomPurpose::kSampleToken);
  const bool is_cut = params.top_k > 0 || params.top_p < 1 || params.min_p > 0;
  if (!is_cut) return TokenAtMass(weights_, share * total);
  Cut(params, logits, total);
  return DrawCandidate(candidates_, share);
}

void TokenSampler::Cut(const SamplingParams& params,
                       std::span<const float> logits, double total) {
  const auto size = static_cast<int>(logits.size());
  TokenLogit worst = {size, -std::numeric_limits<float>::infinity()};
  double mass = total;
  // All cuts keep a prefix of the ranking, so what min_p drops may go first;
  // the best token weighs 1.
  double lightest = params.min_p;
  if (params.top_k > 0 && params.top_k < size) {
    SelectTop(logits, params.top_k, &best_);
    worst = best_.back();
    mass = 0;
    for (const TokenLogit& t : best_) mass += weights_[t.token];
  } else {
    // Tokens lighter than this weigh less than (1 - top_p) * total together:
    // the nucleus is complete without them.
    lightest = std::max(lightest, (1.0 - params.top_p) * total / size);
  }
  Gather(logits, worst, lightest);
  if (params.top_p < 1) CutToNucleus(params.top_p * mass);
}

void TokenSampler::Gather(std::span<const float> logits,
                          const TokenLogit& worst, double lightest) {
  candidates_.clear();
  for (size_t i = 0; i < logits.size(); ++i) {
    const TokenLogit t = {static_cast<Token>(i), logits[i]};
    if (weights_[i] < lightest || IsBetter(worst, t)) continue;
    candidates_.push_back({t, weights_[i]});
  }
}

void TokenSampler::CutToNucleus(double mass) {
  partition_ = candidates_;
  const TokenLogit worst = WorstOfNucleus(partition_, mass);
  std::erase_if(candidates_, [&](const Candidate& c) {
    return IsBetter(worst, c.token_logit);
  });
}

void TokenSampler::FillTop(const RawDistribution& raw,
                           std::span<const float> logits, int num_top,
                           std::vector<TokenLogprob>* top) {
  top->clear();
  if (num_top == 0) return;
  SortedTop(logits, num_top, &best_);
  for (const TokenLogit& t : best_) {
    top->push_back({t.token, raw.Logprob(t.logit)});
  }
}

}  // namespace quire
