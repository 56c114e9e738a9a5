#include "worker/sampler/top_tokens.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "gtest/gtest.h"

namespace quire {
namespace {

std::vector<Token> Ids(const std::vector<TokenLogit>& tokens) {
  std::vector<Token> ids;
  for (const TokenLogit& t : tokens) ids.push_back(t.token);
  return ids;
}

std::vector<Token> Top(const std::vector<float>& logits, int count) {
  std::vector<TokenLogit> best;
  SortedTop(logits, count, &best);
  return Ids(best);
}

std::vector<Token> TopByFullSort(const std::vector<float>& logits, int count) {
  std::vector<TokenLogit> all;
  for (size_t i = 0; i < logits.size(); ++i) {
    all.push_back({static_cast<Token>(i), logits[i]});
  }
  std::sort(all.begin(), all.end(), IsBetter);
  if (all.size() > static_cast<size_t>(count)) all.resize(count);
  return Ids(all);
}

TEST(TopTokensTest, LargestComeFirst) {
  EXPECT_EQ(Top({1, 5, 3, 4, 2}, 3), (std::vector<Token>{1, 3, 2}));
}

TEST(TopTokensTest, OfEqualLogitsTheSmallerIdsWin) {
  EXPECT_EQ(Top({2, 7, 2, 7, 2}, 3), (std::vector<Token>{1, 3, 0}));
  EXPECT_EQ(Top(std::vector<float>(1000, 1), 2), (std::vector<Token>{0, 1}));
}

TEST(TopTokensTest, AskedForMoreThanThereAreGivesAll) {
  EXPECT_EQ(Top({1, 2}, 20), (std::vector<Token>{1, 0}));
  EXPECT_EQ(Top({1}, 1), (std::vector<Token>{0}));
}

TEST(TopTokensTest, ImpossibleTokensCanBeSelected) {
  const float none = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(Top({none, 1, none}, 2), (std::vector<Token>{1, 0}));
}

TEST(TopTokensTest, UnsortedSelectionEndsWithItsWorst) {
  std::vector<TokenLogit> best;
  SelectTop(std::vector<float>{4, 9, 1, 7, 8, 2}, 3, &best);
  EXPECT_EQ(best.back().token, 3);
}

// Orders of arrival: random with many ties, all better than before, all worse.
class TopTokensOrderTest : public testing::TestWithParam<int> {
 protected:
  std::vector<float> Row(int size, uint64_t seed) const {
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<int> coarse(0, 300);
    std::vector<float> row(size);
    for (float& x : row) x = static_cast<float>(coarse(random));
    if (GetParam() == 1) std::sort(row.begin(), row.end());
    if (GetParam() == 2) std::sort(row.rbegin(), row.rend());
    return row;
  }
};

TEST_P(TopTokensOrderTest, EqualsAFullSort) {
  for (const int size : {1, 63, 64, 65, 130, 5000}) {
    const std::vector<float> row = Row(size, size);
    for (const int count : {1, 2, 20, 31, 32, 33, 64, 1000, 5000}) {
      EXPECT_EQ(Top(row, count), TopByFullSort(row, count))
          << size << " " << count;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Orders, TopTokensOrderTest, testing::Range(0, 3));

}  // namespace
}  // namespace quire
