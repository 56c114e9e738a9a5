#include "client/utf8_text.h"

#include <string>

#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(Utf8TextTest, AcceptsEveryLengthOfCharacter) {
  EXPECT_TRUE(CheckUtf8("").ok());
  EXPECT_TRUE(CheckUtf8("a\u00e9\u20ac\U0001F600").ok());
  EXPECT_TRUE(CheckUtf8(std::string("\0", 1)).ok());
}

TEST(Utf8TextTest, NamesThePlaceOfTheFirstWrongByte) {
  EXPECT_EQ(CheckUtf8("\u00e9\xff").message(),
            "the text is not UTF-8 at byte 2");
  EXPECT_EQ(CheckUtf8("ab\xc3").message(), "the text is not UTF-8 at byte 2");
}

TEST(Utf8TextTest, RefusesSurrogatesAndLongForms) {
  EXPECT_FALSE(CheckUtf8("\xed\xa0\x80").ok());
  EXPECT_FALSE(CheckUtf8("\xc0\xaf").ok());
}

}  // namespace
}  // namespace quire
