#include "worker/model/phase_times.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace quire {
namespace {

using Clock = std::chrono::steady_clock;

int64_t NanosecondsSince(Clock::time_point start) {
  return std::chrono::nanoseconds(Clock::now() - start).count();
}

TEST(PhaseTimesTest, ScopesAddTheirTimeToTheirPhaseAlone) {
  PhaseTimes times;
  const Clock::time_point start = Clock::now();
  for (int i = 0; i < 2; ++i) {
    const PhaseScope scope(&times, Phase::kNorm);
    while (NanosecondsSince(start) < int64_t{i + 1} * 1000) continue;
  }
  EXPECT_EQ(times.count(Phase::kNorm), 2);
  EXPECT_GT(times.nanoseconds(Phase::kNorm), 0);
  EXPECT_LE(times.nanoseconds(Phase::kNorm), NanosecondsSince(start));
  EXPECT_EQ(times.count(Phase::kDownProduct), 0);
  EXPECT_EQ(times.nanoseconds(Phase::kDownProduct), 0);
}

TEST(PhaseTimesTest, EveryPhaseHasAName) {
  EXPECT_STREQ(kPhaseNames[static_cast<size_t>(Phase::kEmbedding)],
               "embedding");
  EXPECT_STREQ(kPhaseNames[static_cast<size_t>(Phase::kOutputProduct)],
               "output_product");
  EXPECT_EQ(kPhaseNames.size(), static_cast<size_t>(Phase::kOutputProduct) + 1);
}

}  // namespace
}  // namespace quire
