#include "worker/sampler/philox.h"

#include <array>
#include <cstdint>

#include "gtest/gtest.h"

namespace quire {
namespace {

using Words4 = std::array<uint32_t, 4>;

// The known answers of the authors' own distribution, Random123.
TEST(PhiloxTest, GivesTheKnownAnswers) {
  EXPECT_EQ(Philox4x32({0, 0, 0, 0}, {0, 0}),
            (Words4{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox4x32({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}),
            (Words4{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                       {0xa4093822, 0x299f31d0}),
            (Words4{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(PhiloxTest, UniformNumberIsMadeOfTheFirstTwoWords) {
  // The upper 53 bits of e169c58d'6627e8d5.
  EXPECT_EQ(UniformAt(0, 0, RandomPurpose::kSampleToken),
            static_cast<double>(0xe169c58d6627e8d5 >> 11) / 0x1p53);
}

TEST(PhiloxTest, UniformNumbersDifferBySeedAndByPositionInAllTheirBits) {
  const double first = UniformAt(1, 1, RandomPurpose::kSampleToken);
  EXPECT_NE(first, UniformAt(2, 1, RandomPurpose::kSampleToken));
  EXPECT_NE(first, UniformAt(1, 2, RandomPurpose::kSampleToken));
  EXPECT_NE(first, UniformAt(1 + (1ull << 32), 1, RandomPurpose::kSampleToken));
  EXPECT_NE(first, UniformAt(1, 1 + (1ull << 32), RandomPurpose::kSampleToken));
}

TEST(PhiloxTest, UniformNumbersFillTheUnitIntervalEvenly) {
  constexpr int kNumbers = 100'000;
  double sum = 0;
  for (int i = 0; i < kNumbers; ++i) {
    const double u = UniformAt(7, i, RandomPurpose::kSampleToken);
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
  }
  // The mean's standard deviation is sqrt(1 / 12 / kNumbers), about 0.0009.
  EXPECT_NEAR(sum / kNumbers, 0.5, 0.004);
}

}  // namespace
}  // namespace quire
