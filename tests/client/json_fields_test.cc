#include "client/json_fields.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::ElementsAre;

nlohmann::json Object(const std::string& value) {
  return nlohmann::json::parse("{\"x\": " + value + "}");
}

std::string TextError(const std::string& value) {
  return std::string(TextField(Object(value), "x").status().message());
}

std::string NumberError(const std::string& value) {
  return std::string(
      NumberField(Object(value), "x", 0.5, 10).status().message());
}

std::string CountError(const std::string& value) {
  return std::string(CountField(Object(value), "x", 1).status().message());
}

std::string TokenIdsError(const std::string& value) {
  return std::string(TokenIdsField(Object(value), "x").status().message());
}

TEST(JsonFieldsTest, ReadsWhatIsWithinTheLimits) {
  EXPECT_EQ(*TextField(Object("\"a\""), "x"), "a");
  EXPECT_EQ(*NumberField(Object("0.5"), "x", 0.5, 10), 0.5);
  EXPECT_EQ(*NumberField(Object("10"), "x", 0.5, 10), 10);
  EXPECT_EQ(*CountField(Object("1"), "x", 1), 1);
  EXPECT_EQ(*CountField(Object("4294967295"), "x", 1), 4294967295);
  EXPECT_THAT(*TokenIdsField(Object("[0, 2147483647]"), "x"),
              ElementsAre(0, 2147483647));
}

TEST(JsonFieldsTest, NamesAMissingField) {
  EXPECT_EQ(TextField(Object("1"), "y").status().message(), "y is missing");
  EXPECT_EQ(NumberField(Object("1"), "y", 0, 1).status().message(),
            "y is missing");
  EXPECT_EQ(CountField(Object("1"), "y", 0).status().message(), "y is missing");
  EXPECT_EQ(TokenIdsField(Object("1"), "y").status().message(), "y is missing");
}

TEST(JsonFieldsTest, NamesValueAndLimitsOfAText) {
  EXPECT_EQ(TextError("5"), "x is 5, must be a string");
}

TEST(JsonFieldsTest, NamesValueAndLimitsOfANumber) {
  EXPECT_EQ(NumberError("1e300"), "x is 1e+300, must be a number, 0.5 to 10");
  EXPECT_EQ(NumberError("-1"), "x is -1, must be a number, 0.5 to 10");
  EXPECT_EQ(NumberError("\"1\""), "x is \"1\", must be a number, 0.5 to 10");
}

TEST(JsonFieldsTest, NamesValueAndLimitsOfACount) {
  const std::string limits = ", must be a whole number, 1 to 4294967295";
  EXPECT_EQ(CountError("0"), "x is 0" + limits);
  EXPECT_EQ(CountError("-1"), "x is -1" + limits);
  EXPECT_EQ(CountError("1.5"), "x is 1.5" + limits);
  EXPECT_EQ(CountError("4294967296"), "x is 4294967296" + limits);
  EXPECT_EQ(CountError("18446744073709551616"),
            "x is 1.8446744073709552e+19" + limits);
}

TEST(JsonFieldsTest, NamesThePlaceOfWhatIsNoTokenId) {
  const std::string limits = ", must be a token id, 0 to 2147483647";
  EXPECT_EQ(TokenIdsError("[1, 2147483648]"), "x[1] is 2147483648" + limits);
  EXPECT_EQ(TokenIdsError("[-1]"), "x[0] is -1" + limits);
  EXPECT_EQ(TokenIdsError("[1.0]"), "x[0] is 1.0" + limits);
  EXPECT_EQ(TokenIdsError("7"), "x is 7, must be a list of token ids");
}

TEST(JsonFieldsTest, CutsALongValue) {
  EXPECT_EQ(CountError("[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19]"),
            "x is [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,..., must be a whole "
            "number, 1 to 4294967295");
}

}  // namespace
}  // namespace quire
