#ifndef QUIRE_SCHEDULER_SIM_LENGTH_DISTRIBUTION_H_
#define QUIRE_SCHEDULER_SIM_LENGTH_DISTRIBUTION_H_

#include <cstdint>

#include "scheduler/sim/random_stream.h"

namespace quire {

// Lengths of texts: log-normal, cut at a longest one, with the mean that is
// asked for after the cut. At least 1 token.
class LengthDistribution {
 public:
  // `sigma` is that of the logarithm.
  // REQUIRES: 1 <= mean < longest / 2, 0 < sigma.
  LengthDistribution(double mean, double sigma, uint32_t longest);

  uint32_t Draw(RandomStream& random) const;

 private:
  // The mean of what Draw draws where the logarithm's mean is `mu`.
  double MeanAt(double mu) const;

  const double sigma_;
  const double longest_;
  double mu_ = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_LENGTH_DISTRIBUTION_H_
