#include "scheduler/frontend/list_validation.h"

#include <limits>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(ListValidationTest, CountsAreLimited) {
  EXPECT_TRUE(CheckCount("a.b", 3, 3).ok());
  EXPECT_EQ(
      CheckCount("a.b", 4, 3),
      absl::InvalidArgumentError("a.b has 4 entries; it must have at most 3"));
}

TEST(ListValidationTest, TheVocabularyBeginsAtZero) {
  EXPECT_TRUE(IsInVocabulary(0, 1));
  EXPECT_FALSE(IsInVocabulary(1, 1));
  EXPECT_FALSE(IsInVocabulary(-1, 1));
  EXPECT_FALSE(IsInVocabulary(std::numeric_limits<Token>::min(),
                              std::numeric_limits<uint32_t>::max()));
}

TEST(ListValidationTest, TheFirstBadIdIsNamed) {
  const std::vector<int32_t> ids = {0, 9, 10, -1};
  EXPECT_EQ(
      CheckTokenIds("a.b", {ids.begin(), ids.end()}, /*vocabulary_size=*/10),
      absl::InvalidArgumentError("a.b[2] is 10; it must be at least 0 and "
                                 "below the vocabulary size, 10"));
  EXPECT_TRUE(CheckTokenIds("a.b", {}, 10).ok());
}

TEST(ListValidationTest, TheFirstBadStringIsNamed) {
  const std::vector<std::string> strings = {std::string(256, 'x'), "y",
                                            std::string(257, 'x'), ""};
  EXPECT_EQ(CheckStrings("a.b", {strings.begin(), strings.end()}),
            absl::InvalidArgumentError(
                "a.b[2] has 257 bytes; it must have 1 to 256"));
  EXPECT_TRUE(CheckStrings("a.b", {}).ok());
}

}  // namespace
}  // namespace quire
