#include "scheduler/frontend/beam_validation.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "gtest/gtest.h"
#include "tests/scheduler/frontend/text_proto.h"

namespace quire {
namespace {

using ::quire::testing::FromText;

struct Model {
  uint32_t vocabulary_size = 1000;
  size_t num_stop_tokens = 2;
};

// What ResolveBeams makes of a request that is complete but for its beams.
absl::StatusOr<GenerationRequest> Resolve(const std::string& text,
                                          const Model& model = {}) {
  const auto request = FromText<v1::GenerateRequest>(text);
  GenerationRequest resolved;
  resolved.stop_tokens.resize(model.num_stop_tokens);
  resolved.sampling.set_temperature(1);
  resolved.sampling.set_top_logprobs(request.output().logprobs());
  const absl::Status status = ResolveBeams(
      request, {.vocabulary_size = model.vocabulary_size}, &resolved);
  if (!status.ok()) return status;
  return resolved;
}

TEST(BeamValidationTest, WhatIsNotSaidHasADefault) {
  const auto resolved = Resolve("beams { beam_width: 4 }");
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_EQ(resolved->num_sequences, 4);
  EXPECT_EQ(resolved->beams->length_penalty, 1);
  EXPECT_EQ(resolved->beams->early_stopping, EarlyStopping::kFalse);
  EXPECT_EQ(resolved->sampling.temperature(), 0);
}

TEST(BeamValidationTest, WhatIsSaidIsTaken) {
  const auto resolved = Resolve(
      "n: 4 beams { beam_width: 4 length_penalty: -10 "
      "early_stopping: EARLY_STOPPING_NEVER }");
  ASSERT_TRUE(resolved.ok()) << resolved.status();
  EXPECT_EQ(resolved->beams->length_penalty, -10);
  EXPECT_EQ(resolved->beams->early_stopping, EarlyStopping::kNever);
}

TEST(BeamValidationTest, TheRanksReportCandidatesAndWhatTheClientWants) {
  const auto few = Resolve("beams { beam_width: 4 } output { logprobs: 3 }");
  ASSERT_TRUE(few.ok()) << few.status();
  EXPECT_EQ(few->sampling.top_logprobs(), 4 + 2);
  EXPECT_EQ(few->beams->top_logprobs, 3);
  const auto many = Resolve("beams { beam_width: 4 } output { logprobs: 9 }");
  ASSERT_TRUE(many.ok()) << many.status();
  EXPECT_EQ(many->sampling.top_logprobs(), 9);
}

TEST(BeamValidationTest, ARefusalNamesFieldValueAndLimit) {
  const std::pair<std::string, std::string> refusals[] = {
      {"beams {}",
       "beams.beam_width is 0; it must be at least n, 1, and at most 32"},
      {"n: 4 beams { beam_width: 3 }",
       "beams.beam_width is 3; it must be at least n, 4, and at most 32"},
      {"beams { beam_width: 33 }",
       "beams.beam_width is 33; it must be at least n, 1, and at most 32"},
      {"beams { beam_width: 2 length_penalty: nan }",
       "beams.length_penalty is nan; it must be -10 to 10"},
      {"beams { beam_width: 2 length_penalty: 10.5 }",
       "beams.length_penalty is 10.5; it must be -10 to 10"},
      {"beams { beam_width: 2 early_stopping: 9 }",
       "beams.early_stopping is 9; it must be a value of EarlyStopping"},
  };
  for (const auto& [request, message] : refusals) {
    EXPECT_EQ(Resolve(request).status(), absl::InvalidArgumentError(message))
        << request;
  }
}

TEST(BeamValidationTest, NothingIsDrawnOrBent) {
  const std::pair<std::string, std::string> fields[] = {
      {"best_of: 2", "best_of is 2"},
      {"sampling { temperature: 0.7 }", "sampling.temperature is 0.7"},
      {"sampling { top_k: 0 }", "sampling.top_k is 0"},
      {"sampling { top_p: 1 }", "sampling.top_p is 1"},
      {"sampling { min_p: 0 }", "sampling.min_p is 0"},
      {"sampling { repetition_penalty: 1.5 }",
       "sampling.repetition_penalty is 1.5"},
      {"sampling { presence_penalty: 0 }", "sampling.presence_penalty is 0"},
      {"sampling { frequency_penalty: 0 }", "sampling.frequency_penalty is 0"},
      {"sampling { logit_bias { key: 1 value: 1 } }",
       "sampling.logit_bias has 1 entry"},
      {"sampling { bad_words: 'a' }", "sampling.bad_words has 1 entry"},
      {"stopping { stop: 'a' stop: 'b' }", "stopping.stop has 2 entries"},
  };
  for (const auto& [given, value] : fields) {
    EXPECT_EQ(
        Resolve("beams { beam_width: 2 } " + given).status(),
        absl::InvalidArgumentError(
            value + "; it cannot be combined with beams: leave it out of a "
                    "beam search"));
  }
  EXPECT_TRUE(Resolve("beams { beam_width: 2 } sampling { temperature: 0 "
                      "seed: 1 }")
                  .ok());
}

TEST(BeamValidationTest, StopTokensLeaveLessRoomForBeams) {
  const std::string widest = "beams { beam_width: 32 }";
  EXPECT_TRUE(Resolve(widest, {.num_stop_tokens = 32}).ok());
  EXPECT_EQ(Resolve(widest, {.num_stop_tokens = 33}).status(),
            absl::InvalidArgumentError(
                "beams.beam_width is 32; with 33 tokens that end the "
                "generation it must be at most 31"));
  EXPECT_EQ(Resolve(widest, {.num_stop_tokens = 64}).status(),
            absl::InvalidArgumentError(
                "64 tokens end the generation, the "
                "model's own and stopping.stop_token_ids; with beams it must "
                "be at most 63"));
}

TEST(BeamValidationTest, ASmallVocabularyHasFewCandidates) {
  const std::string request = "beams { beam_width: 8 }";
  EXPECT_TRUE(Resolve(request, {.vocabulary_size = 10}).ok());
  EXPECT_FALSE(Resolve(request, {.vocabulary_size = 9}).ok());
}

}  // namespace
}  // namespace quire
