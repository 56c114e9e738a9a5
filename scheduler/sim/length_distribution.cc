#include "scheduler/sim/length_distribution.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "common/check.h"

namespace quire {
namespace {

double NormalCdf(double x) { return std::erfc(-x / std::numbers::sqrt2) / 2; }

}  // namespace

LengthDistribution::LengthDistribution(double mean, double sigma,
                                       uint32_t longest)
    : sigma_(sigma), longest_(longest) {
  QUIRE_CHECK(mean >= 1 && mean < longest_ / 2 && sigma > 0);
  // The mean grows with mu, from far below to half-way to the cut and beyond.
  double low = -sigma * sigma - 1;
  double high = 2 * std::log(longest_);
  for (int i = 0; i < 60; ++i) {
    mu_ = (low + high) / 2;
    (MeanAt(mu_) < mean ? low : high) = mu_;
  }
}

double LengthDistribution::MeanAt(double mu) const {
  const double cut = (std::log(longest_) - mu) / sigma_;
  return std::exp(mu + sigma_ * sigma_ / 2) * NormalCdf(cut - sigma_) /
         NormalCdf(cut);
}

uint32_t LengthDistribution::Draw(RandomStream& random) const {
  double length = 0;
  do {
    length = std::exp(mu_ + sigma_ * random.Normal());
  } while (length > longest_);
  return static_cast<uint32_t>(std::max(1.0, std::round(length)));
}

}  // namespace quire
