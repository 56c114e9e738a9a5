#include "scheduler/text/json_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "common/modelfile/json_file.h"
#include "scheduler/text/bpe_tokenizer.h"
#include "tests/scheduler/text/error_of.h"
#include "tests/testing/temporary_folder.h"

namespace quire {
namespace {

using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;
using TokenType = TokenizerData::TokenType;

Json GoodTokenizer() {
  return Json::parse(R"({
    "added_tokens": [
      {"id": 4, "content": "<s>", "special": true, "normalized": false},
      {"id": 6, "content": "<tool>", "special": false, "lstrip": true}
    ],
    "normalizer": null,
    "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false, "use_regex": true},
    "post_processor": null,
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "Ġ": 3, "<s>": 4}, "merges": ["a b"]}
  })");
}

// What reading says once a JSON patch's value has been put at a path.
std::string ErrorWith(const std::string& path, const Json& value,
                      const Json& config = Json()) {
  Json tokenizer = GoodTokenizer();
  tokenizer[Json::json_pointer(path)] = value;
  return ErrorOf(ParseJsonTokenizer(tokenizer, config));
}

TEST(JsonTokenizerTest, ReadsAByteLevelTokenizer) {
  const TokenizerData data =
      ParseJsonTokenizer(GoodTokenizer(), Json()).value();
  EXPECT_EQ(data.kind, TokenizerData::Kind::kByteLevel);
  EXPECT_EQ(data.tokens.size(), 7u);
  EXPECT_EQ(data.tokens[3].bytes, " ");
  EXPECT_EQ(data.tokens[4].type, TokenType::kControl);
  EXPECT_EQ(data.tokens[5].type, TokenType::kAbsent);
  EXPECT_EQ(data.tokens[6].type, TokenType::kUserDefined);
  EXPECT_TRUE(data.special_tokens[1].strips_left);
  EXPECT_EQ(data.merges.size(), 1u);
}

TEST(JsonTokenizerTest, MergesMayBePairs) {
  Json tokenizer = GoodTokenizer();
  tokenizer["model"]["merges"] = Json::array({Json::array({"a", "b"})});
  EXPECT_EQ(ParseJsonTokenizer(tokenizer, Json()).value().merges[0].result, 2);
}

TEST(JsonTokenizerTest, TheConfigurationNamesTokensAndTheTemplate) {
  const Json config = {{"bos_token", "<s>"},
                       {"eos_token", {{"content", "<tool>"}}},
                       {"add_bos_token", true},
                       {"chat_template",
                        {{{"name", "tool_use"}, {"template", "x"}},
                         {{"name", "default"}, {"template", "y"}}}}};
  const TokenizerData data =
      ParseJsonTokenizer(GoodTokenizer(), config).value();
  EXPECT_EQ(data.bos_token_id, 4);
  EXPECT_THAT(data.eos_token_ids, ElementsAre(6));
  EXPECT_THAT(data.prefix, ElementsAre(4));
  EXPECT_EQ(data.chat_template, "y");
}

TEST(JsonTokenizerTest, ATemplateInAFileOfItsOwnWins) {
  const testing::TemporaryFolder folder;
  folder.Write("tokenizer.json", GoodTokenizer().dump());
  folder.Write("tokenizer_config.json", R"({"chat_template": "old"})");
  EXPECT_EQ(ReadJsonTokenizer(folder.path()).value().chat_template, "old");
  folder.Write("chat_template.jinja", "new");
  EXPECT_EQ(ReadJsonTokenizer(folder.path()).value().chat_template, "new");
}

TEST(JsonTokenizerTest, ErrorsNameTheFile) {
  const testing::TemporaryFolder folder;
  EXPECT_THAT(ErrorOf(ReadJsonTokenizer(folder.path())),
              HasSubstr("NOT_FOUND"));
  folder.Write("tokenizer.json", "{");
  EXPECT_THAT(ErrorOf(ReadJsonTokenizer(folder.path())),
              HasSubstr("tokenizer.json: not valid JSON"));
  folder.Write("tokenizer.json", "{}");
  EXPECT_THAT(ErrorOf(ReadJsonTokenizer(folder.path())),
              HasSubstr("tokenizer.json"));
  folder.Write("tokenizer.json", std::string(100'000, '['));
  EXPECT_THAT(ErrorOf(ReadJsonTokenizer(folder.path())),
              HasSubstr("nested deeper than 64"));
}

TEST(JsonTokenizerTest, BrokenVocabulariesAreRefused) {
  EXPECT_THAT(ErrorWith("/model/vocab", Json::array()),
              HasSubstr("model.vocab is not an object"));
  EXPECT_THAT(
      ErrorWith("/model/vocab/x", "1"),
      HasSubstr("the id of 'x' is not a whole number from 0 to 4194303"));
  EXPECT_THAT(ErrorWith("/model/vocab/x", 4194304),
              HasSubstr("the id of 'x' is not"));
  EXPECT_THAT(ErrorWith("/model/vocab/x", -1),
              HasSubstr("the id of 'x' is not"));
  EXPECT_THAT(ErrorWith("/model/vocab/x", ~uint64_t{0}),
              HasSubstr("the id of 'x' is not"));
  EXPECT_THAT(ErrorWith("/model/vocab/x", 2),
              HasSubstr("model.vocab gives id 2 to 'x' and to another token"));
}

TEST(JsonTokenizerTest, BrokenMergesAreRefused) {
  EXPECT_THAT(ErrorWith("/model/merges", "a b"),
              HasSubstr("model.merges is not a list"));
  EXPECT_THAT(
      ErrorWith("/model/merges/0", "a x"),
      HasSubstr("entry 0 of model.merges names 'x', which is no token"));
  EXPECT_THAT(ErrorWith("/model/merges/0", "b a"),
              HasSubstr("names 'ba', which is no token"));
  for (const Json& merge : {Json("ab"), Json("a b c"), Json::array({"a"}),
                            Json::array({"a", 1}), Json(7)}) {
    EXPECT_THAT(ErrorWith("/model/merges/0", merge),
                HasSubstr("entry 0 of model.merges is not two tokens"));
  }
}

TEST(JsonTokenizerTest, BrokenAddedTokensAreRefused) {
  EXPECT_THAT(ErrorWith("/added_tokens", 1),
              HasSubstr("added_tokens is not a list"));
  EXPECT_THAT(ErrorWith("/added_tokens/0/id", 99),
              HasSubstr("added_tokens gives '<s>' the id 99"));
  EXPECT_THAT(ErrorWith("/added_tokens/1/id", 1),
              HasSubstr("added_tokens gives '<tool>' the id 1, which another"));
  EXPECT_THAT(ErrorWith("/added_tokens/1/id", nullptr),
              HasSubstr("the id of '<tool>' is not a whole number"));
  EXPECT_THAT(ErrorWith("/added_tokens/1/special", "yes"),
              HasSubstr("special"));
  EXPECT_THAT(ErrorWith("/added_tokens/0", "x"), HasSubstr("added_tokens"));
}

TEST(JsonTokenizerTest, UnknownOptionsAreRefusedByName) {
  EXPECT_THAT(ErrorWith("/model/type", "Unigram"),
              HasSubstr("UNIMPLEMENTED: model 'Unigram' is not known"));
  EXPECT_THAT(ErrorWith("/model/dropout", 0.1),
              HasSubstr("model.dropout is not supported"));
  EXPECT_THAT(ErrorWith("/model/end_of_word_suffix", "</w>"),
              HasSubstr("model.end_of_word_suffix is not supported"));
  EXPECT_THAT(ErrorWith("/model/unk_token", "?"),
              HasSubstr("model.unk_token '?' is no token"));
}

TEST(JsonTokenizerTest, BrokenConfigurationsAreRefused) {
  EXPECT_THAT(ErrorWith("/version", "1", Json(3)),
              HasSubstr("tokenizer_config.json"));
  EXPECT_THAT(ErrorWith("/version", "1", {{"bos_token", 3}}),
              HasSubstr("bos_token is not a text"));
  EXPECT_THAT(ErrorWith("/version", "1", {{"eos_token", Json::object()}}),
              HasSubstr("eos_token has no content"));
  EXPECT_THAT(ErrorWith("/version", "1", {{"chat_template", 3}}),
              HasSubstr("chat_template"));
}

TEST(JsonTokenizerTest,
     APatternThatDoesNotCompileIsRefusedWhenTheTokenizerIsMade) {
  Json tokenizer = GoodTokenizer();
  tokenizer["pre_tokenizer"] =
      Json::parse(R"({"type": "Sequence", "pretokenizers": [
      {"type": "Split", "pattern": {"Regex": "(("}, "behavior": "Isolated", "invert": false},
      {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]})");
  EXPECT_THAT(ErrorOf(BpeTokenizer::Create(
                  ParseJsonTokenizer(tokenizer, Json()).value())),
              HasSubstr("does not compile"));
}

}  // namespace
}  // namespace quire
