#include "worker/sampler/softmax.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

// One copy of the function for each width of vector; the loader picks. Products
// and sums are never fused (-ffp-contract=off) and lanes are counted in the
// source, so all copies give the same bits. ThreadSanitizer cannot run the
// loader's choice.
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
#define QUIRE_VECTOR_WIDTHS \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define QUIRE_VECTOR_WIDTHS
#endif

namespace quire {
namespace {

constexpr size_t kLanes = 16;
// Floats add up lanes over one stretch only, doubles add up the stretches: the
// error of the sum does not grow with the vocabulary.
constexpr size_t kStretch = 1024;

// exp(x) for x <= 0, NaN for NaN. Branch-free, so that the compiler makes
// vectors of it: e^x = 2^n * e^r with n = round(x / ln 2) and |r| <= ln 2 / 2,
// where a polynomial of degree 6 (Taylor's, the last terms adjusted as in
// Cephes' expf) has relative error 2^-23.
inline float ExpOfNonPositive(float x) {
  constexpr float kSmallest = -87.0f;  // e^-87 is still a normal float.
  constexpr float kLog2E = 1.44269504f;
  constexpr float kLn2High = 0.693359375f;    // Exact in few bits, so that
  constexpr float kLn2Low = -2.12194440e-4f;  // n * high is exact too.
  constexpr float kRound = 12582912.0f;  // 1.5 * 2^23: adding it rounds to int.
  const float clamped = x < kSmallest ? kSmallest : x;
  const float shifted = clamped * kLog2E + kRound;
  const float n = shifted - kRound;
  const float r = (clamped - n * kLn2High) - n * kLn2Low;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  const float e = (p * (r * r) + r) + 1.0f;
  // The low bits of `shifted` are n: put n + 127 into the exponent's place.
  const uint32_t exponent = (std::bit_cast<uint32_t>(shifted) + 127u) << 23;
  const float result = e * std::bit_cast<float>(exponent);
  return x < kSmallest ? 0.0f : result;
}

// Calls exp_at(i) for i in [begin, end) and returns the sum in a fixed order.
template <typename ExpAt>
inline double SumStretch(size_t begin, size_t end, const ExpAt& exp_at) {
  float lanes[kLanes] = {};
  size_t i = begin;
  for (; i + kLanes <= end; i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane)
      lanes[lane] += exp_at(i + lane);
  }
  for (size_t lane = 0; i < end; ++i, ++lane) lanes[lane] += exp_at(i);
  double sum = 0;
  for (float lane : lanes) sum += lane;
  return sum;
}

template <typename ExpAt>
inline double SumRow(size_t size, const ExpAt& exp_at) {
  double sum = 0;
  for (size_t begin = 0; begin < size; begin += kStretch) {
    sum += SumStretch(begin, std::min(begin + kStretch, size), exp_at);
  }
  return sum;
}

// The largest of them; NaN is passed over. As vectors, since the compiler takes
// an array of maxima apart.
QUIRE_VECTOR_WIDTHS
float MaxOf(const float* values, size_t size) {
  using Vector [[gnu::vector_size(kLanes * sizeof(float))]] = float;
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Vector lanes = Vector{} - kInfinity;
  size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    Vector v;
    std::memcpy(&v, values + i, sizeof(v));
    lanes = v > lanes ? v : lanes;
  }
  float max = -kInfinity;
  for (size_t lane = 0; lane < kLanes; ++lane) {
    max = lanes[lane] > max ? lanes[lane] : max;
  }
  for (; i < size; ++i) max = values[i] > max ? values[i] : max;
  return max;
}

QUIRE_VECTOR_WIDTHS
double SumOfExponentials(const float* logits, size_t size, float max) {
  return SumRow(size,
                [=](size_t i) { return ExpOfNonPositive(logits[i] - max); });
}

// Divided, not multiplied by a reciprocal that may overflow: 0 / t is 0 and
// the rest can only go to -infinity, however small the temperature.
QUIRE_VECTOR_WIDTHS
double StoreExponentials(const float* __restrict logits, size_t size, float max,
                         float temperature, float* __restrict weights) {
  return SumRow(size, [=](size_t i) {
    return weights[i] = ExpOfNonPositive((logits[i] - max) / temperature);
  });
}

QUIRE_VECTOR_WIDTHS
double SumOf(const float* values, size_t size) {
  return SumRow(size, [=](size_t i) { return values[i]; });
}

}  // namespace

double ExponentialWeights(std::span<const float> logits, float max,
                          float temperature, std::span<float> weights) {
  return StoreExponentials(logits.data(), logits.size(), max, temperature,
                           weights.data());
}

Token TokenAtMass(std::span<const float> weights, double mass) {
  // The stretch where it happens; the last that weighs anything, where rounding
  // leads past the end.
  size_t chosen = 0;
  double mass_there = 0;
  for (size_t begin = 0; begin < weights.size(); begin += kStretch) {
    const size_t size = std::min(kStretch, weights.size() - begin);
    const double stretch = SumOf(weights.data() + begin, size);
    if (stretch == 0) continue;
    chosen = begin;
    mass_there = mass;
    if (mass < stretch) break;
    mass -= stretch;
  }
  const size_t end = std::min(chosen + kStretch, weights.size());
  size_t last = chosen;
  for (size_t i = chosen; i < end && mass_there >= 0; ++i) {
    if (weights[i] == 0) continue;
    last = i;
    mass_there -= weights[i];
  }
  return static_cast<Token>(last);
}

RawDistribution::RawDistribution(std::span<const float> logits)
    : best_(ArgMax(logits)), max_(logits[best_]) {
  if (!std::isfinite(max_)) return;
  log_sum_ = std::log(SumOfExponentials(logits.data(), logits.size(), max_));
  // One NaN among the logits makes the sum NaN.
  valid_ = std::isfinite(log_sum_);
}

float RawDistribution::Logprob(float logit) const {
  return static_cast<float>((static_cast<double>(logit) - max_) - log_sum_);
}

Token ArgMax(std::span<const float> values) {
  float max = -std::numeric_limits<float>::infinity();
  std::span<const float> stretch = values;  // The first that has it.
  for (size_t begin = 0; begin < values.size(); begin += kStretch) {
    const auto here =
        values.subspan(begin, std::min(kStretch, values.size() - begin));
    const float max_here = MaxOf(here.data(), here.size());
    if (max_here > max) {
      max = max_here;
      stretch = here;
    }
  }
  const auto it = std::find(stretch.begin(), stretch.end(), max);
  return it == stretch.end() ? 0 : static_cast<Token>(&*it - values.data());
}

}  // namespace quire
