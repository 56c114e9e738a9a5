#include "scheduler/text/gguf_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/scheduler/text/error_of.h"
#include "tests/testing/gguf_writer.h"
#include "tests/testing/memory_file.h"

namespace quire {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using TokenType = TokenizerData::TokenType;

// A small good tokenizer, of which a test changes one thing.
struct Metadata {
  std::string model = "gpt2";
  std::string pre = "gpt-2";
  std::vector<std::string> tokens{"a",   "b",    "ab",     "\u0120",
                                  "<s>", "</s>", "<tool>", "<0x0A>"};
  std::vector<int32_t> types{1, 1, 1, 1, 3, 3, 4, 6};
  std::vector<std::string> merges{"a b"};
  std::vector<float> scores{0, -1, -2, -3, 0, 0, 0, 0};
  uint32_t eos = 5;
  std::vector<std::string> missing;

  absl::StatusOr<TokenizerData> Read() const {
    const testing::MemoryFile file(Bytes());
    return ReadGgufTokenizer(*GgufFile::Open(file.path()).value());
  }

  std::string Bytes() const {
    testing::GgufWriter writer;
    const auto add = [&](const std::string& key, const auto& value) {
      if (!IsMissing(key)) writer.Add("tokenizer.ggml." + key, value);
    };
    const auto add_array = [&](const std::string& key, const auto& values) {
      if (!IsMissing(key)) writer.AddArray("tokenizer.ggml." + key, values);
    };
    add("model", model);
    add("pre", pre);
    add_array("tokens", tokens);
    add_array("token_type", types);
    add_array("merges", merges);
    add_array("scores", scores);
    add("bos_token_id", uint32_t{4});
    add("eos_token_id", eos);
    add("unknown_token_id", uint32_t{0});
    writer.Add("tokenizer.chat_template", "{{ messages }}");
    return writer.Finish();
  }

  bool IsMissing(const std::string& key) const {
    return std::find(missing.begin(), missing.end(), key) != missing.end();
  }
};

std::string ErrorOf(const Metadata& metadata) {
  return testing::ErrorOf(metadata.Read());
}

TEST(GgufTokenizerTest, ReadsAByteLevelTokenizer) {
  const TokenizerData data = Metadata{}.Read().value();
  EXPECT_EQ(data.kind, TokenizerData::Kind::kByteLevel);
  EXPECT_EQ(data.tokens[3].bytes, " ");
  EXPECT_EQ(data.tokens[4].type, TokenType::kControl);
  EXPECT_EQ(data.tokens[6].type, TokenType::kUserDefined);
  ASSERT_EQ(data.merges.size(), 1u);
  EXPECT_EQ(data.merges[0].result, 2);
  EXPECT_EQ(data.special_tokens.size(), 3u);
  EXPECT_EQ(data.bos_token_id, 4);
  EXPECT_THAT(data.eos_token_ids, ElementsAre(5));
  EXPECT_THAT(data.prefix, ElementsAre());
  EXPECT_EQ(data.chat_template, "{{ messages }}");
}

TEST(GgufTokenizerTest, ReadsASentencePieceTokenizer) {
  Metadata metadata{.model = "llama"};
  metadata.tokens[3] = "\u2581";
  const TokenizerData data = metadata.Read().value();
  EXPECT_EQ(data.kind, TokenizerData::Kind::kSentencePiece);
  EXPECT_EQ(data.tokens[3].bytes, " ");
  EXPECT_EQ(data.tokens[7].bytes, "\n");
  EXPECT_EQ(data.tokens[7].type, TokenType::kByte);
  EXPECT_EQ(data.scores[2], -2);
  EXPECT_EQ(data.space_prefix, TokenizerData::SpacePrefix::kAlways);
  EXPECT_THAT(data.prefix, ElementsAre(4));
}

TEST(GgufTokenizerTest, Llama3AddsABeginningOfItself) {
  const TokenizerData data = Metadata{.pre = "llama-bpe"}.Read().value();
  EXPECT_TRUE(data.ignore_merges);
  EXPECT_THAT(data.prefix, ElementsAre(4));
}

TEST(GgufTokenizerTest, UnknownKindsAreRefusedByName) {
  EXPECT_THAT(ErrorOf({.model = "bert"}),
              AllOf(StartsWith("UNIMPLEMENTED: "),
                    HasSubstr(": tokenizer.ggml.model 'bert' is not known")));
  EXPECT_THAT(ErrorOf({.pre = "tekken"}),
              AllOf(StartsWith("UNIMPLEMENTED: "),
                    HasSubstr(": pre-tokenizer 'tekken'")));
}

TEST(GgufTokenizerTest, ErrorsNameTheFile) {
  const testing::MemoryFile file(Metadata{.missing = {"model"}}.Bytes());
  const auto gguf = GgufFile::Open(file.path()).value();
  EXPECT_EQ(testing::ErrorOf(ReadGgufTokenizer(*gguf)),
            "INVALID_ARGUMENT: " + file.path() +
                ": tokenizer.ggml.model: is missing");
}

TEST(GgufTokenizerTest, MissingKeysAreNamed) {
  EXPECT_THAT(ErrorOf({.missing = {"model"}}),
              HasSubstr("tokenizer.ggml.model: is missing"));
  EXPECT_THAT(ErrorOf({.missing = {"tokens"}}),
              HasSubstr("tokenizer.ggml.tokens: is missing or empty"));
  EXPECT_THAT(ErrorOf({.missing = {"merges"}}),
              HasSubstr("tokenizer.ggml.merges: is missing"));
  EXPECT_THAT(ErrorOf({.model = "llama", .missing = {"scores"}}),
              HasSubstr("tokenizer.ggml.scores: is missing"));
}

TEST(GgufTokenizerTest, ListsThatDoNotFitAreRefused) {
  EXPECT_THAT(ErrorOf({.types = {1, 1}}),
              HasSubstr("token_type: has 2 entries for 8 tokens"));
  EXPECT_THAT(ErrorOf({.types = {1, 1, 1, 1, 3, 3, 4, 9}}),
              HasSubstr("token 7 is of type 9; 1 to 6 are known"));
  EXPECT_THAT(ErrorOf({.tokens = {"a", "b", "a", "c", "d", "e", "f", "g"}}),
              HasSubstr("tokens 0 and 2 are both 'a'"));
  EXPECT_THAT(ErrorOf({.eos = 8}),
              HasSubstr("eos_token_id: is 8, but there are 8 tokens"));
  EXPECT_THAT(ErrorOf({.model = "llama", .types = {6, 1, 1, 1, 3, 3, 4, 6}}),
              HasSubstr("the byte token 0 is 'a'"));
}

TEST(GgufTokenizerTest, MergesNameTokens) {
  EXPECT_THAT(ErrorOf({.merges = {"a b", "ab"}}),
              HasSubstr("merges: entry 1 is not two tokens"));
  EXPECT_THAT(ErrorOf({.merges = {"a x"}}),
              HasSubstr("merges: entry 0 names 'x', which is no token"));
  EXPECT_THAT(ErrorOf({.merges = {"b a"}}),
              HasSubstr("merges: entry 0 names 'ba', which is no token"));
  EXPECT_THAT(ErrorOf({.merges = {""}}),
              HasSubstr("entry 0 is not two tokens"));
}

}  // namespace
}  // namespace quire
