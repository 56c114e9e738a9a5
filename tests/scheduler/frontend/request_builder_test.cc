#include "scheduler/frontend/request_builder.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/scheduler/frontend/byte_tokenizer.h"
#include "tests/scheduler/frontend/text_proto.h"

namespace quire {
namespace {

using ::quire::testing::Bytes;
using ::quire::testing::ByteTokenizer;
using ::quire::testing::FromText;
using ::quire::testing::TurnTemplate;

using Tokens = std::vector<Token>;

class RequestBuilderTest : public ::testing::Test {
 protected:
  absl::StatusOr<GenerationRequest> Build(const std::string& text) {
    const auto request = FromText<v1::GenerateRequest>(text);
    absl::StatusOr<GenerationRequest> resolved =
        builder_.Resolve(request, /*random_seed=*/99);
    if (!resolved.ok()) return resolved;
    const absl::Status encoded = builder_.Encode(request, &*resolved);
    if (!encoded.ok()) return encoded;
    return resolved;
  }

  ByteTokenizer tokenizer_;
  TurnTemplate template_;
  const ModelLimits limits_ = {
      .vocabulary_size = ByteTokenizer::kVocabularySize,
      .context_length = 64,
      .longest_token_bytes = 6,
      .eos_token_ids = {ByteTokenizer::kEos}};
  const PromptEncoder encoder_{&tokenizer_, &template_, absl::OkStatus(),
                               limits_.vocabulary_size};
  const RequestBuilder builder_{&tokenizer_, &encoder_, &limits_};
};

TEST_F(RequestBuilderTest,
       ATextIsTokenizedWithSpecialTokensUnlessItSaysOtherwise) {
  EXPECT_EQ(Build("text: '<eos>'")->prompt,
            Tokens({ByteTokenizer::kBos, ByteTokenizer::kEos}));
  EXPECT_EQ(Build("text: '<eos>' add_special: false")->prompt,
            Tokens({ByteTokenizer::kEos}));
  EXPECT_EQ(
      Build("text: '<eos>' add_special: false parse_special: false")->prompt,
      Bytes("<eos>"));
}

TEST_F(RequestBuilderTest, AnEmptyTextIsAPromptOnlyWhereTheModelAddsAToken) {
  EXPECT_EQ(Build("text: ''")->prompt, Tokens({ByteTokenizer::kBos}));
  EXPECT_EQ(Build("text: '' add_special: false").status(),
            absl::InvalidArgumentError(
                "prompt has 0 tokens; it must have at least 1"));
}

TEST_F(RequestBuilderTest, TokenIdsAreUsedAsTheyAre) {
  EXPECT_EQ(Build("token_ids { ids: [3, 258, 3] }")->prompt,
            Tokens({3, 258, 3}));
}

TEST_F(RequestBuilderTest, AChatIsRendered) {
  EXPECT_EQ(
      Build("chat { messages { role: 'user' content: 'Hi' } }")->prompt.size(),
      std::string("Tuser:HiTassistant:").size());
}

TEST_F(RequestBuilderTest, AChatWithoutTemplateIsRefusedBeforeAnythingElse) {
  const PromptEncoder encoder(&tokenizer_, nullptr,
                              absl::UnimplementedError("no"),
                              limits_.vocabulary_size);
  const RequestBuilder builder(&tokenizer_, &encoder, &limits_);
  EXPECT_EQ(
      builder.Resolve(FromText<v1::GenerateRequest>("chat {}"), 0).status(),
      absl::UnimplementedError("chat: no"));
}

TEST_F(RequestBuilderTest, BadWordsBecomeTokenStrings) {
  const auto built = Build("text: 'x' sampling { bad_words: 'no' }");
  ASSERT_EQ(built->sampling.bad_words_size(), 2);
  EXPECT_EQ(built->sampling.bad_words(1).tokens_size(), 2);
}

TEST_F(RequestBuilderTest, TheFilterKnowsStopStringsMinTokensAndWhatToShow) {
  const auto built = Build(
      "text: 'x' stopping { stop: '!' min_tokens: 2 } output { include_stop: "
      "true }");
  EXPECT_EQ(built->filters[0]->Append('!', /*ends=*/false).text, "!");
  const OutputFilter::Output second =
      built->filters[0]->Append('!', /*ends=*/false);
  EXPECT_EQ(second.text, "!");
  EXPECT_EQ(second.stop, "!");
}

TEST_F(RequestBuilderTest, ATextThatTokenizesTooLongIsRefused) {
  const std::string text(64, 'x');
  EXPECT_EQ(Build("text: '" + text + "'").status(),
            absl::InvalidArgumentError("prompt has 65 tokens; it must have "
                                       "fewer than the context length, 64"));
}

TEST_F(RequestBuilderTest, TheMeasureOfTimeCountsEveryTextThatIsTokenized) {
  const auto bytes = [](const std::string& text) {
    return RequestBuilder::NumTextBytes(FromText<v1::GenerateRequest>(text));
  };
  EXPECT_EQ(bytes("token_ids { ids: [1, 2, 3] }"), 0u);
  EXPECT_EQ(bytes("text: 'abc'"), 3u);
  EXPECT_EQ(bytes("chat { messages { role: 'user' content: 'abc' } messages { "
                  "content: 'd' } }"),
            8u);
  EXPECT_EQ(bytes("text: 'abc' sampling { bad_words: ['de', 'f'] }"), 12u);
}

}  // namespace
}  // namespace quire
