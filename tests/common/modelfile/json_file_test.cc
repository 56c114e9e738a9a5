#include "common/modelfile/json_file.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/common/modelfile/is_error.h"
#include "tests/testing/temporary_folder.h"

namespace quire {
namespace {

using Json = nlohmann::json;
using testing::IsError;
using testing::IsInvalid;
using testing::IsOk;
using testing::TemporaryFolder;

std::string Nested(int depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(ParseJson, BuildsWhatTheLibraryBuilds) {
  const std::string text =
      R"({"a":[1,-2,3.5,true,false,null,"x\u00e9",{}],"b":{"c":[[]],"d":18446744073709551615}})";
  EXPECT_EQ(ParseJson(text).value(), Json::parse(text));
  EXPECT_EQ(ParseJson("7").value(), Json(7));
}

TEST(ParseJson, FaultIsNamedByItsPosition) {
  EXPECT_THAT(ParseJson(R"({"a": 1,})"), IsInvalid("not valid JSON at byte 9"));
  EXPECT_THAT(ParseJson(""), IsInvalid("not valid JSON"));
  EXPECT_THAT(ParseJson("1 2"), IsInvalid("not valid JSON"));
  EXPECT_THAT(ParseJson("\"\xff\""), IsInvalid("not valid JSON"));
  EXPECT_THAT(ParseJson("1e999"), IsInvalid("not valid JSON"));
}

TEST(ParseJson, LongBrokenTokenIsNotRepeatedInTheMessage) {
  EXPECT_THAT(ParseJson("\"" + std::string(100000, 'x')),
              IsInvalid("not valid JSON"));
}

TEST(ParseJson, DepthIsBounded) {
  EXPECT_THAT(ParseJson(Nested(64)), IsOk());
  EXPECT_THAT(ParseJson(Nested(65)), IsInvalid("nested deeper than 64"));
  EXPECT_THAT(ParseJson(std::string(10'000'000, '[')),
              IsInvalid("nested deeper than 64"));
  EXPECT_THAT(ParseJson(R"({"a":{"a":{}}})", {.max_depth = 2}),
              IsInvalid("nested deeper than 2"));
}

TEST(ParseJson, SizeIsBounded) {
  EXPECT_THAT(ParseJson("[1,2]", {.max_bytes = 5}), IsOk());
  EXPECT_THAT(ParseJson("[1,2]", {.max_bytes = 4}),
              IsInvalid("JSON of 5 bytes, the limit is 4"));
}

TEST(ParseJson, SameKeyTwiceInOneObjectIsRefused) {
  EXPECT_THAT(ParseJson(R"({"a":{"k":1,"k":2}})"),
              IsInvalid("key 'k' occurs twice"));
  EXPECT_THAT(ParseJson(R"({"k":{"k":1}})"), IsOk());
}

TEST(ReadJsonFile, PathLeadsTheMessage) {
  const TemporaryFolder folder;
  EXPECT_EQ(ReadJsonFile(folder.Write("good.json", "[1]")).value(),
            Json::parse("[1]"));
  EXPECT_THAT(ReadJsonFile(folder.Write("bad.json", "[1")),
              IsInvalid("/bad.json: not valid JSON"));
  EXPECT_THAT(ReadJsonFile(folder.path() + "/none.json"),
              IsError(absl::StatusCode::kNotFound, "/none.json"));
}

class JsonFieldsTest : public ::testing::Test {
 protected:
  // `fields` are valid until the next call.
  JsonFields Fields(const std::string& text) {
    json_ = Json::parse(text);
    return JsonFields::Of(json_, "config.json").value();
  }

  Json json_;
};

TEST_F(JsonFieldsTest, OnlyObjectsHaveFields) {
  EXPECT_THAT(JsonFields::Of(Json::parse("[]"), "config.json"),
              IsInvalid("config.json: expected an object, got array"));
}

TEST_F(JsonFieldsTest, FieldsAreReadByKind) {
  const JsonFields fields =
      Fields(R"({"i":3,"n":1.5,"b":true,"s":"x","l":[1,2],"o":{"k":4}})");
  EXPECT_EQ(fields.GetInt("i").value(), 3);
  EXPECT_EQ(fields.GetNumber("n").value(), 1.5);
  EXPECT_EQ(fields.GetNumber("i").value(), 3);
  EXPECT_TRUE(fields.GetBool("b", false).value());
  EXPECT_EQ(fields.GetString("s").value(), "x");
  EXPECT_EQ(fields.GetInts("l").value(), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(fields.GetInts("i").value(), (std::vector<int64_t>{3}));
  EXPECT_EQ((*fields.GetObject("o"))->GetInt("k").value(), 4);
}

TEST_F(JsonFieldsTest, NullCountsAsAbsent) {
  const JsonFields fields = Fields(R"({"x":null})");
  EXPECT_FALSE(fields.Has("x"));
  EXPECT_TRUE(fields.Contains("x"));
  EXPECT_FALSE(fields.Contains("y"));
  EXPECT_EQ(fields.GetInt("x", 7).value(), 7);
  EXPECT_EQ(fields.GetNumber("x", 7.5).value(), 7.5);
  EXPECT_TRUE(fields.GetBool("x", true).value());
  EXPECT_EQ(fields.GetString("x", "y").value(), "y");
  EXPECT_TRUE(fields.GetInts("x").value().empty());
  EXPECT_FALSE(fields.GetObject("x").value().has_value());
}

TEST_F(JsonFieldsTest, AbsentFieldWithoutFallbackIsNamed) {
  const JsonFields fields = Fields("{}");
  EXPECT_THAT(fields.GetInt("hidden_size"),
              IsInvalid("config.json: field 'hidden_size' is missing"));
  EXPECT_THAT(fields.GetNumber("x"), IsInvalid("'x' is missing"));
  EXPECT_THAT(fields.GetString("x"), IsInvalid("'x' is missing"));
}

TEST_F(JsonFieldsTest, WrongKindIsRefusedEvenWhereThereIsAFallback) {
  const JsonFields fields =
      Fields(R"({"x":"1","f":2.0,"big":9223372036854775808,"l":[1,"2"]})");
  EXPECT_THAT(fields.GetInt("x", 0),
              IsInvalid("field 'x' must be a whole number, not 'string'"));
  EXPECT_THAT(fields.GetInt("f"), IsInvalid("must be a whole number"));
  EXPECT_THAT(fields.GetInt("big"), IsInvalid("must be a whole number"));
  EXPECT_THAT(fields.GetNumber("x", 0), IsInvalid("must be a number"));
  EXPECT_THAT(fields.GetBool("f", true), IsInvalid("must be true or false"));
  EXPECT_THAT(fields.GetString("f", ""), IsInvalid("must be a string"));
  EXPECT_THAT(fields.GetInts("l"), IsInvalid("must be whole numbers"));
  EXPECT_THAT(fields.GetObject("l"), IsInvalid("field 'l' must be an object"));
}

TEST_F(JsonFieldsTest, NestedObjectIsNamedByItsPath) {
  const JsonFields fields = Fields(R"({"rope":{}})");
  EXPECT_TRUE(fields.HasObject());
  EXPECT_THAT((*fields.GetObject("rope"))->GetInt("factor"),
              IsInvalid("config.json rope: field 'factor'"));
}

}  // namespace
}  // namespace quire
