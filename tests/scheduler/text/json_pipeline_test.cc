#include "scheduler/text/json_pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/scheduler/text/error_of.h"

namespace quire {
namespace {

using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;
using SpacePrefix = TokenizerData::SpacePrefix;

absl::StatusOr<TokenizerData> Read(const std::string& normalizer,
                                   const std::string& pre_tokenizer) {
  const Json tokenizer = {{"normalizer", Json::parse(normalizer)},
                          {"pre_tokenizer", Json::parse(pre_tokenizer)}};
  TokenizerData data;
  const absl::Status status = ReadTextStages(
      JsonFields::Of(tokenizer, "tokenizer.json").value(), &data);
  if (!status.ok()) return status;
  return data;
}

std::string PreTokenizerError(const std::string& pre_tokenizer) {
  return ErrorOf(Read("null", pre_tokenizer));
}
std::string NormalizerError(const std::string& normalizer) {
  return ErrorOf(
      Read(normalizer, R"({"type": "ByteLevel", "add_prefix_space": false})"));
}

TEST(JsonPipelineTest, ReadsStagesInOrder) {
  const auto data =
      Read(R"({"type": "NFC"})", R"({"type": "Sequence", "pretokenizers": [
      {"type": "Digits", "individual_digits": true},
      {"type": "Split", "pattern": {"String": "-"}, "behavior": "MergedWithNext", "invert": true},
      {"type": "Split", "pattern": {"Regex": "a|b"}, "behavior": "Removed"},
      {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]})")
          .value();
  EXPECT_TRUE(data.normalizes_nfc);
  ASSERT_EQ(data.splits.size(), 3u);
  EXPECT_EQ(data.splits[0].behavior, SplitStep::Behavior::kIsolated);
  EXPECT_TRUE(data.splits[1].is_literal && data.splits[1].invert);
  EXPECT_EQ(data.splits[1].behavior, SplitStep::Behavior::kMergedWithNext);
  EXPECT_EQ(data.splits[2].pattern, "a|b");
}

TEST(JsonPipelineTest, ReadsBothFormsOfMetaspace) {
  const auto now = Read(
      "null",
      R"({"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": false})");
  EXPECT_EQ(now->kind, TokenizerData::Kind::kSentencePiece);
  EXPECT_EQ(now->space_prefix, SpacePrefix::kFirst);
  EXPECT_FALSE(now->splits_at_spaces);
  const auto older = Read(
      "null",
      R"({"type": "Metaspace", "replacement": "▁", "add_prefix_space": false})");
  EXPECT_EQ(older->space_prefix, SpacePrefix::kNever);
  EXPECT_TRUE(older->splits_at_spaces);
}

TEST(JsonPipelineTest, ReadsTheNormalizersOfLlama2) {
  const auto data = Read(
      R"({"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": "▁"},
      {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]})",
      "null");
  EXPECT_EQ(data->kind, TokenizerData::Kind::kSentencePiece);
  EXPECT_EQ(data->space_prefix, SpacePrefix::kAlways);
}

TEST(JsonPipelineTest, UnknownNormalizersAreRefusedByName) {
  EXPECT_THAT(NormalizerError(R"({"type": "NFKC"})"),
              HasSubstr("UNIMPLEMENTED: normalizer 'NFKC' is not known"));
  EXPECT_THAT(NormalizerError(R"({"type": "Prepend", "prepend": "x"})"),
              HasSubstr("Prepend of 'x'"));
  EXPECT_THAT(NormalizerError(R"({"type": "Prepend", "prepend": "▁"})"),
              HasSubstr("Prepend without Replace"));
  EXPECT_THAT(
      NormalizerError(
          R"({"type": "Replace", "pattern": {"Regex": " "}, "content": "▁"})"),
      HasSubstr("Replace of ' '"));
  EXPECT_THAT(NormalizerError("3"), HasSubstr("normalizer"));
}

TEST(JsonPipelineTest, UnknownPreTokenizersAreRefusedByName) {
  EXPECT_THAT(PreTokenizerError("null"),
              HasSubstr("pre_tokenizer neither ByteLevel nor"));
  EXPECT_THAT(
      PreTokenizerError(R"({"type": "Whitespace"})"),
      HasSubstr("UNIMPLEMENTED: pre_tokenizer 'Whitespace' is not known"));
  EXPECT_THAT(
      PreTokenizerError(R"({"type": "ByteLevel", "add_prefix_space": true})"),
      HasSubstr("add_prefix_space"));
  EXPECT_THAT(
      PreTokenizerError(
          R"({"type": "Split", "pattern": {"String": "a"}, "behavior": "Odd"})"),
      HasSubstr("behavior 'Odd'"));
  EXPECT_THAT(PreTokenizerError(R"({"type": "Split", "behavior": "Removed"})"),
              HasSubstr("there is no pattern"));
  EXPECT_THAT(PreTokenizerError(R"({"type": "Metaspace", "replacement": "_"})"),
              HasSubstr("Metaspace with '_'"));
  EXPECT_THAT(PreTokenizerError(R"({"type": "Sequence", "pretokenizers": 1})"),
              HasSubstr("a Sequence has no list"));
  EXPECT_THAT(PreTokenizerError(R"({"type": "Sequence", "pretokenizers": [
      {"type": "ByteLevel", "add_prefix_space": false}, {"type": "Digits"}]})"),
              HasSubstr("'Digits' after ByteLevel"));
}

absl::StatusOr<bool> ReadRule(const std::string& post_processor,
                              TokenizerData* data) {
  const Json tokenizer = {{"post_processor", Json::parse(post_processor)}};
  return ReadPostProcessor(JsonFields::Of(tokenizer, "tokenizer.json").value(),
                           data);
}

std::string RuleError(const std::string& post_processor) {
  TokenizerData data;
  return ErrorOf(ReadRule(post_processor, &data));
}

TEST(JsonPipelineTest, ReadsWhatIsAddedAroundTheText) {
  TokenizerData data;
  const auto found =
      ReadRule(R"({"type": "Sequence", "processors": [{"type": "ByteLevel"},
      {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}},
      {"SpecialToken": {"id": "</s>"}}], "special_tokens": {"<s>": {"ids": [1]}, "</s>": {"ids": [2, 3]}}}]})",
               &data);
  EXPECT_TRUE(found.value());
  EXPECT_THAT(data.prefix, ElementsAre(1));
  EXPECT_THAT(data.suffix, ElementsAre(2, 3));
  EXPECT_FALSE(ReadRule("null", &data).value());
  EXPECT_FALSE(ReadRule(R"({"type": "ByteLevel"})", &data).value());
}

TEST(JsonPipelineTest, BrokenRulesAreRefused) {
  EXPECT_THAT(RuleError(R"({"type": "BertProcessing"})"),
              HasSubstr("UNIMPLEMENTED: post_processor 'BertProcessing'"));
  EXPECT_THAT(RuleError(R"({"type": "TemplateProcessing"})"),
              HasSubstr("single is not a list"));
  EXPECT_THAT(RuleError(R"({"type": "TemplateProcessing", "single": []})"),
              HasSubstr("no place for the text"));
  EXPECT_THAT(
      RuleError(R"({"type": "TemplateProcessing", "single": [{"x": 1}]})"),
      HasSubstr("no known kind"));
  EXPECT_THAT(
      RuleError(
          R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "a"}}], "special_tokens": {}})"),
      HasSubstr("special_tokens lacks 'a'"));
  EXPECT_THAT(
      RuleError(
          R"({"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "a"}}],
      "special_tokens": {"a": {"ids": [-1]}}})"),
      HasSubstr("token id -1 of 'a' is out of range"));
}

}  // namespace
}  // namespace quire
