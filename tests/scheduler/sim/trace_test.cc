#include "scheduler/sim/trace.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

double MeanOf(const Trace& trace,
              const std::function<double(const TraceRequest&)>& value) {
  double sum = 0;
  for (const TraceRequest& request : trace) sum += value(request);
  return sum / static_cast<double>(trace.size());
}

Trace Make(TraceShape shape, uint64_t seed = 1) {
  return MakeTrace(
      {.shape = shape, .rate = 4, .num_requests = 20'000, .seed = seed});
}

double MeanPrompt(const Trace& trace) {
  return MeanOf(trace, [](const auto& r) { return r.prompt_tokens; });
}

double MeanOutput(const Trace& trace) {
  return MeanOf(trace, [](const auto& r) { return r.output_tokens; });
}

TEST(TraceTest, LengthsHaveTheMeansOfTheirDataSet) {
  const Trace chats = Make(TraceShape::kShareGpt);
  EXPECT_NEAR(MeanPrompt(chats), 161.31, 4);
  EXPECT_NEAR(MeanOutput(chats), 337.99, 6);
  const Trace instructions = Make(TraceShape::kAlpaca);
  EXPECT_NEAR(MeanPrompt(instructions), 19.31, 0.5);
  EXPECT_NEAR(MeanOutput(instructions), 58.45, 1.5);
}

TEST(TraceTest, OrcasLengthsAreUniform) {
  const Trace trace = Make(TraceShape::kOrca);
  const auto [least, most] =
      std::ranges::minmax_element(trace, {}, &TraceRequest::prompt_tokens);
  EXPECT_EQ(least->prompt_tokens, 32);
  EXPECT_EQ(most->prompt_tokens, 512);
  EXPECT_NEAR(MeanPrompt(trace), 272, 4);
  EXPECT_NEAR(MeanOutput(trace), 64.5, 1);
}

TEST(TraceTest, ArrivalsAreAPoissonProcessOfTheRate) {
  const Trace trace = Make(TraceShape::kAlpaca);
  const double seconds = absl::ToDoubleSeconds(trace.back().arrival);
  EXPECT_NEAR(static_cast<double>(trace.size()) / seconds, 4, 0.1);
  // Of exponential gaps, 1 - 1/e are shorter than their mean.
  int num_short = 0;
  for (size_t i = 1; i < trace.size(); ++i) {
    const absl::Duration gap = trace[i].arrival - trace[i - 1].arrival;
    num_short += gap < absl::Milliseconds(250) ? 1 : 0;
  }
  EXPECT_NEAR(num_short / static_cast<double>(trace.size()), 0.632, 0.01);
}

// A trace is part of every figure: another one under the same seed would change
// them all.
TEST(TraceTest, TheSameSeedGivesTheSameTraceOnEveryMachine) {
  const Trace trace = MakeTrace({.num_requests = 3, .seed = 7});
  std::vector<uint32_t> lengths;
  for (const TraceRequest& request : trace) {
    lengths.push_back(request.prompt_tokens);
    lengths.push_back(request.output_tokens);
  }
  EXPECT_THAT(lengths, ElementsAre(511, 868, 411, 264, 51, 420));
  EXPECT_NE(Make(TraceShape::kOrca, 1)[0].prompt_tokens,
            Make(TraceShape::kOrca, 2)[0].prompt_tokens);
}

TEST(TraceTest, NoRequestIsLongerThanTheContext) {
  for (const TraceShape shape :
       {TraceShape::kShareGpt, TraceShape::kAlpaca, TraceShape::kOrca,
        TraceShape::kSharedPrefix, TraceShape::kChat}) {
    for (const TraceRequest& request : Make(shape)) {
      EXPECT_GE(request.prompt_tokens, 1);
      EXPECT_GE(request.output_tokens, 1);
      EXPECT_LE(request.prompt_tokens + request.output_tokens, 2048);
    }
  }
}

TEST(TraceTest, PromptsBeginWithTheTextThatTheyShare) {
  const Trace trace = MakeTrace(
      {.shape = TraceShape::kSharedPrefix, .num_requests = 2, .seed = 1});
  const std::vector<Token> a = PromptOf(trace[0], 0);
  const std::vector<Token> b = PromptOf(trace[1], 1);
  EXPECT_EQ(a.size(), trace[0].prompt_tokens);
  const auto differ = std::ranges::mismatch(a, b).in1 - a.begin();
  EXPECT_EQ(differ, trace[0].shared_tokens);
  EXPECT_GT(differ, 0);
}

TEST(TraceTest, ThePrefixIsAsLongAsIsAsked) {
  const Trace trace = MakeTrace({.shape = TraceShape::kSharedPrefix,
                                 .num_requests = 2,
                                 .prefix_tokens = 80});
  EXPECT_EQ(trace[0].shared_tokens, 80);
  EXPECT_GT(trace[1].prompt_tokens, 80);
}

TEST(TraceTest, AnAnswerIsPartOfTheNextPromptOfItsConversation) {
  const Trace trace =
      MakeTrace({.shape = TraceShape::kChat, .num_requests = 200, .seed = 1});
  const TraceRequest& first = trace[0];
  const auto second =
      std::find_if(trace.begin() + 1, trace.end(),
                   [&](const auto& r) { return r.group == first.group; });
  ASSERT_NE(second, trace.end());
  std::vector<Token> said = PromptOf(first, 0);
  for (uint32_t i = 0; i < first.output_tokens; ++i) {
    said.push_back(TokenAfter(said.back()));
  }
  const std::vector<Token> prompt = PromptOf(*second, second - trace.begin());
  ASSERT_GT(prompt.size(), said.size());
  EXPECT_TRUE(std::equal(said.begin(), said.end(), prompt.begin()));
}

TEST(TraceTest, RecordedPromptsAreWhatTheyAre) {
  const TraceRequest request = {.prompt_tokens = 2, .prompt_ids = {5, 6}};
  EXPECT_THAT(PromptOf(request, 3), ElementsAre(5, 6));
}

TEST(TraceTest, NamesTheTracesThereAre) {
  EXPECT_EQ(*ParseTraceShape("chat"), TraceShape::kChat);
  EXPECT_THAT(std::string(ParseTraceShape("x").status().message()),
              HasSubstr("no trace x; it must be sharegpt, alpaca, orca"));
}

TEST(TraceTest, MeansCanBeTheUsersOwn) {
  const Trace trace = MakeTrace({.shape = TraceShape::kSharedPrefix,
                                 .num_requests = 20'000,
                                 .prefix_tokens = 100,
                                 .mean_prompt = 50,
                                 .mean_output = 200});
  EXPECT_NEAR(MeanPrompt(trace), 150, 1);
  EXPECT_NEAR(MeanOutput(trace), 200, 4);
}

TEST(TraceTest, NamesTheOptionThatIsWrong) {
  const auto error = [](const TraceOptions& options) {
    return std::string(options.Validate().message());
  };
  EXPECT_EQ(error({}), "");
  EXPECT_THAT(error({.rate = 0}), HasSubstr("rate is 0, must be 0.001 to"));
  EXPECT_THAT(error({.num_requests = 0}), HasSubstr("requests is 0"));
  EXPECT_THAT(error({.num_sequences = 0}), HasSubstr("sequences is 0"));
  EXPECT_THAT(
      error({.shape = TraceShape::kSharedPrefix, .prefix_tokens = 1025}),
      HasSubstr("prefix_tokens is 1025, must be 0 to 1024"));
  EXPECT_THAT(error({.mean_prompt = 0}), HasSubstr("mean_prompt is 0"));
  EXPECT_THAT(error({.mean_prompt = 0.5}), HasSubstr("mean_prompt is 0.5"));
  EXPECT_THAT(error({.mean_prompt = NAN}), HasSubstr("mean_prompt is nan"));
  EXPECT_THAT(error({.mean_output = -5}), HasSubstr("mean_output is -5"));
  EXPECT_THAT(error({.mean_output = 512}), HasSubstr("must be 1 to 511"));
  EXPECT_THAT(error({.context_length = 2}),
              HasSubstr("context_length is 2, must be 8 to"));
  EXPECT_EQ(error({.context_length = 8, .mean_prompt = 1, .mean_output = 1}),
            "");
  EXPECT_THAT(error({.shape = TraceShape::kOrca, .context_length = 639}),
              HasSubstr("context_length is 639, must be 640 to"));
}

}  // namespace
}  // namespace quire
