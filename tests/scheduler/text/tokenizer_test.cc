#include "scheduler/text/tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "common/modelfile/model_files.h"
#include "tests/scheduler/text/error_of.h"
#include "tests/scheduler/text/reference_lines.h"

namespace quire {
namespace {

using testing::CompareWithLines;
using ::testing::ElementsAre;
using testing::ErrorOf;
using ::testing::IsEmpty;
using testing::LoadTokenizerAlone;

constexpr char kTestdata[] = "tests/scheduler/text/testdata/";

TEST(TokenizerTest, SmolLm2MatchesTheReference) {
  const auto tokenizer =
      LoadTokenizerAlone(std::string(kTestdata) + "smollm2_tokenizer.gguf")
          .value();
  const auto comparison = CompareWithLines(
      *tokenizer, std::string(kTestdata) + "smollm2_tokenize.jsonl",
      {testing::AllVariants()[0]});
  EXPECT_THAT(comparison.differences, IsEmpty());
  EXPECT_EQ(comparison.num_checks, 338);
}

TEST(TokenizerTest, SmolLm2KnowsItsSpecialTokens) {
  const auto tokenizer =
      LoadTokenizerAlone(std::string(kTestdata) + "smollm2_tokenizer.gguf")
          .value();
  EXPECT_EQ(tokenizer->vocabulary_size(), 49152);
  EXPECT_EQ(tokenizer->bos_token_id(), 1);
  EXPECT_THAT(tokenizer->eos_token_ids(), ElementsAre(2, 0));
  EXPECT_TRUE(tokenizer->IsControl(2));
  EXPECT_EQ(tokenizer->TokenBytes(2), "<|im_end|>");
  EXPECT_EQ(tokenizer->TokenBytes(7042), " Paris");
  EXPECT_EQ(tokenizer->Encode("hi", {}).value().size(),
            1u);  // The model adds no beginning.
}

struct Kind {
  std::string name;
  std::string tokenizer;
};

// The ids that the libraries gave for strings of all kinds, with vocabularies
// trained for it; make_reference.py.
class LibrariesTest : public ::testing::TestWithParam<Kind> {};

TEST_P(LibrariesTest, EncodesAsTheLibraryDoes) {
  const std::string folder = std::string(kTestdata) + "libraries/";
  const auto tokenizer = LoadTokenizerAlone(folder + GetParam().tokenizer);
  ASSERT_EQ(ErrorOf(tokenizer), "OK");
  const auto comparison =
      CompareWithLines(**tokenizer, folder + GetParam().name + ".jsonl");
  EXPECT_THAT(comparison.differences, IsEmpty());
  EXPECT_GE(comparison.num_checks, 200);
}

INSTANTIATE_TEST_SUITE_P(
    All, LibrariesTest,
    ::testing::Values(Kind{"gpt2", "gpt2"}, Kind{"gpt2", "gpt2.gguf"},
                      Kind{"smollm", "smollm"}, Kind{"smollm", "smollm.gguf"},
                      Kind{"llama3", "llama3"}, Kind{"llama3", "llama3.gguf"},
                      Kind{"qwen2", "qwen2"}, Kind{"qwen2", "qwen2.gguf"},
                      Kind{"flags", "flags"}, Kind{"behaviors1", "behaviors1"},
                      Kind{"behaviors2", "behaviors2"},
                      Kind{"sentencepiece", "sentencepiece.gguf"},
                      Kind{"sentencepiece_unk", "sentencepiece_unk.gguf"},
                      Kind{"llama2", "llama2"},
                      Kind{"metaspace_first", "metaspace_first"},
                      Kind{"metaspace_split", "metaspace_split"}),
    [](const auto& info) {
      std::string name = info.param.tokenizer;
      std::replace(name.begin(), name.end(), '.', '_');
      return name;
    });

TEST(TokenizerTest, TinyModelsMatchTheirReferences) {
  for (const char* name : {"llama3rope_f32", "mistral_f16", "qwen2_bf16"}) {
    const std::string folder = std::string("tests/testdata/tiny/") + name;
    const auto files = ModelFiles::Open(folder).value();
    const auto tokenizer = Tokenizer::Load(*files).value();
    EXPECT_THAT(tokenizer->eos_token_ids(), ElementsAre(0));
    for (const auto& line :
         testing::ReadJsonLines(folder + "/reference.jsonl")) {
      EXPECT_EQ(
          nlohmann::json(
              tokenizer->Encode(line["prompt"].get<std::string>(), {}).value()),
          line["prompt_ids"]);
    }
  }
}

TEST(TokenizerTest, MegabyteRunsTakeLittleTime) {
  const auto tokenizer =
      LoadTokenizerAlone(std::string(kTestdata) + "smollm2_tokenizer.gguf")
          .value();
  for (const char letter : {'a', ' ', '7', '\n', '<'}) {
    EXPECT_EQ(ErrorOf(tokenizer->Encode(std::string(1 << 20, letter), {})),
              "OK");
  }
}

}  // namespace
}  // namespace quire
