// Beam searches of a scheduler and a worker in float32 against what Hugging
// Face transformers find.

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/generate_client.h"
#include "tests/testing/reference_prompts.h"
#include "tests/testing/test_cluster.h"

namespace quire {
namespace {

// Of scores; two that are nearer may change places.
constexpr double kTolerance = 0.002;

v1::EarlyStopping ParseEarlyStopping(const std::string& text) {
  if (text == "true") return v1::EARLY_STOPPING_TRUE;
  if (text == "never") return v1::EARLY_STOPPING_NEVER;
  EXPECT_EQ(text, "false");
  return v1::EARLY_STOPPING_FALSE;
}

v1::GenerateRequest RequestFor(const ReferenceSearch& search) {
  v1::GenerateRequest request;
  request.mutable_token_ids()->mutable_ids()->Add(search.prompt_ids.begin(),
                                                  search.prompt_ids.end());
  request.mutable_stopping()->set_max_tokens(search.max_tokens);
  request.mutable_stopping()->set_ignore_eos(true);
  request.mutable_stopping()->add_stop_token_ids(search.end_of_sequence);
  request.set_n(search.width);
  request.mutable_beams()->set_beam_width(search.width);
  request.mutable_beams()->set_length_penalty(search.length_penalty);
  request.mutable_beams()->set_early_stopping(
      ParseEarlyStopping(search.early_stopping));
  return request;
}

std::vector<ReferenceSearch::Hypothesis> Search(
    TestCluster& cluster, const v1::GenerateRequest& request) {
  std::vector<ReferenceSearch::Hypothesis> found(request.n());
  const Generated answer = Generate(
      cluster.stub(), request, [&](const v1::GenerateResponse& response) {
        if (response.token_ids().empty()) return;
        ReferenceSearch::Hypothesis& hypothesis = found.at(response.sequence());
        EXPECT_TRUE(hypothesis.ids.empty()) << "a second message";
        hypothesis.ids.assign(response.token_ids().begin(),
                              response.token_ids().end());
        EXPECT_TRUE(response.has_score());
        hypothesis.score = response.score();
      });
  EXPECT_TRUE(answer.status.ok()) << answer.status.error_message();
  return found;
}

void ExpectFound(const ReferenceSearch& search,
                 const std::vector<ReferenceSearch::Hypothesis>& found) {
  for (size_t rank = 0; rank < search.hypotheses.size(); ++rank) {
    SCOPED_TRACE(testing::Message() << "rank " << rank);
    const ReferenceSearch::Hypothesis& expected = search.hypotheses[rank];
    const auto same = std::ranges::find(found, expected.ids,
                                        &ReferenceSearch::Hypothesis::ids);
    if (same == found.end()) {
      ADD_FAILURE() << "not found; in its place: "
                    << testing::PrintToString(found[rank].ids) << " with "
                    << found[rank].score << " instead of "
                    << testing::PrintToString(expected.ids) << " with "
                    << expected.score;
      continue;
    }
    EXPECT_NEAR(same->score, expected.score, kTolerance);
    const double in_its_place = search.hypotheses[same - found.begin()].score;
    EXPECT_NEAR(in_its_place, expected.score, kTolerance) << "another order";
  }
}

TEST(BeamSearchTest, HypothesesAndScoresAreThoseOfHuggingFace) {
  const std::optional<std::string> model = SmolLm2Path();
  if (!model.has_value()) GTEST_SKIP() << "deploy/local/fetch_model first";
  ServerOptions options;
  options.model = *model;
  TestCluster cluster(options, {"--compute=f32"});
  int line = 0;
  for (const ReferenceSearch& search : SmolLm2Searches()) {
    SCOPED_TRACE(testing::Message() << "search " << ++line);
    ExpectFound(search, Search(cluster, RequestFor(search)));
  }
}

// What a search finds does not depend on what else runs, nor on being
// preempted.
TEST(BeamSearchTest, SearchesThatShareASmallPoolFindTheSame) {
  ServerOptions options;
  options.model = TinyModelPath("llama3rope_f32");
  std::vector<v1::GenerateRequest> requests;
  for (const ReferencePrompt& prompt : TinyReference("llama3rope_f32")) {
    for (const uint32_t width : {1, 2, 4}) {
      v1::GenerateRequest request = GreedyRequest(prompt.prompt_ids, 20);
      request.mutable_output()->clear_prompt_logprobs();
      request.mutable_beams()->set_beam_width(width);
      requests.push_back(std::move(request));
    }
  }
  std::vector<Generated> alone;
  {
    TestCluster cluster(options, {"--compute=f32"});
    for (const v1::GenerateRequest& request : requests) {
      alone.push_back(Generate(cluster.stub(), request));
      ASSERT_TRUE(alone.back().status.ok());
    }
  }
  options.num_blocks = 40;
  TestCluster cluster(options, {"--compute=f32"});
  const std::vector<Generated> together = GenerateAll(cluster.stub(), requests);
  for (size_t i = 0; i < requests.size(); ++i) {
    ASSERT_TRUE(together[i].status.ok()) << together[i].status.error_message();
    EXPECT_TRUE(SameBits(together[i], alone[i])) << "request " << i;
  }
}

}  // namespace
}  // namespace quire
