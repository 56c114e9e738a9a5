#include "scheduler/frontend/request_validation.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scheduler/frontend/text_proto.h"

namespace quire {
namespace {

using ::quire::testing::FromText;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Eight bytes a token at most: 800 bytes of text can fit.
const ModelLimits kLimits = {.vocabulary_size = 1000,
                             .context_length = 100,
                             .longest_token_bytes = 8,
                             .eos_token_ids = {2, 7}};

absl::StatusOr<GenerationRequest> Resolve(const v1::GenerateRequest& request) {
  return ResolveRequest(request, kLimits, /*random_seed=*/99);
}

absl::StatusOr<GenerationRequest> Resolve(const std::string& request) {
  return Resolve(FromText<v1::GenerateRequest>(request));
}

absl::StatusOr<GenerationRequest> ResolveWithPrompt(const std::string& text,
                                                    size_t prompt_length) {
  const auto request = FromText<v1::GenerateRequest>(text);
  absl::StatusOr<GenerationRequest> resolved = Resolve(request);
  if (!resolved.ok()) return resolved;
  const absl::Status added = AddPrompt(
      request, kLimits, std::vector<Token>(prompt_length, 5), &*resolved);
  if (!added.ok()) return added;
  return resolved;
}

struct Refusal {
  std::string request;
  std::string message;
};

TEST(RequestValidationTest, ARefusalNamesFieldValueAndLimit) {
  const std::string ids =
      "; it must be at least 0 and below the vocabulary size, 1000";
  const Refusal refusals[] = {
      {"", "prompt is not set; it must be one of text, token_ids and chat"},
      {"token_ids {}", "prompt has 0 tokens; it must have at least 1"},
      {"token_ids { ids: [1, -1] }", "token_ids.ids[1] is -1" + ids},
      {"token_ids { ids: [1, 2, 1000] }", "token_ids.ids[2] is 1000" + ids},
      {"chat {}", "chat.messages has 0 entries; it must have at least 1"},
      {"text: 'x' priority: 4",
       "priority is 4; it must be one of Priority, 0 to 3"},
      {"text: 'x' n: 0", "n is 0; it must be 1 to 64"},
      {"text: 'x' n: 65", "n is 65; it must be 1 to 64"},
      {"text: 'x' n: 3 best_of: 2",
       "best_of is 2; it must be at least n, 3, and at most 64"},
      {"text: 'x' best_of: 65",
       "best_of is 65; it must be at least n, 1, and at most 64"},
      {"text: 'x' beams {}",
       "beams.beam_width is 0; it must be at least n, 1, and at most 32"},
      {"text: 'x' request_id: 'a\\nb'",
       "request_id has a control character at byte 1; it must have none"},
      {"text: 'x' request_id: '\\177'",
       "request_id has a control character at byte 0; it must have none"},
      {"text: 'x' request_id: 'a\u009b2J'",
       "request_id has a control character at byte 1; it must have none"},

      {"text: 'x' sampling { temperature: -1 }",
       "sampling.temperature is -1; it must be finite and at least 0"},
      {"text: 'x' sampling { temperature: nan }",
       "sampling.temperature is nan; it must be finite and at least 0"},
      {"text: 'x' sampling { temperature: inf }",
       "sampling.temperature is inf; it must be finite and at least 0"},
      {"text: 'x' sampling { top_p: 0 }",
       "sampling.top_p is 0; it must be above 0 and at most 1"},
      {"text: 'x' sampling { top_p: -0.5 }",
       "sampling.top_p is -0.5; it must be above 0 and at most 1"},
      {"text: 'x' sampling { top_p: 1.0000001 }",
       "sampling.top_p is 1.0000001; it must be above 0 and at most 1"},
      {"text: 'x' sampling { top_p: nan }",
       "sampling.top_p is nan; it must be above 0 and at most 1"},
      {"text: 'x' sampling { temperature: 0 top_p: 2 }",
       "sampling.top_p is 2; it must be above 0 and at most 1"},
      {"text: 'x' sampling { min_p: -0.1 }",
       "sampling.min_p is -0.1; it must be from 0 to 1"},
      {"text: 'x' sampling { min_p: 1.5 }",
       "sampling.min_p is 1.5; it must be from 0 to 1"},
      {"text: 'x' sampling { min_p: nan }",
       "sampling.min_p is nan; it must be from 0 to 1"},
      {"text: 'x' sampling { repetition_penalty: 0 }",
       "sampling.repetition_penalty is 0; it must be finite and above 0"},
      {"text: 'x' sampling { repetition_penalty: inf }",
       "sampling.repetition_penalty is inf; it must be finite and above 0"},
      {"text: 'x' sampling { repetition_penalty: nan }",
       "sampling.repetition_penalty is nan; it must be finite and above 0"},
      {"text: 'x' sampling { presence_penalty: 2.5 }",
       "sampling.presence_penalty is 2.5; it must be from -2 to 2"},
      {"text: 'x' sampling { presence_penalty: nan }",
       "sampling.presence_penalty is nan; it must be from -2 to 2"},
      {"text: 'x' sampling { frequency_penalty: -2.5 }",
       "sampling.frequency_penalty is -2.5; it must be from -2 to 2"},
      {"text: 'x' sampling { logit_bias { key: 5 value: 101 } }",
       "sampling.logit_bias[5] is 101; it must be from -100 to 100"},
      {"text: 'x' sampling { logit_bias { key: 5 value: nan } }",
       "sampling.logit_bias[5] is nan; it must be from -100 to 100"},
      {"text: 'x' sampling { logit_bias { key: 1000 value: 1 } }",
       "sampling.logit_bias[1000] names no token; ids are at least 0 and below "
       "the vocabulary size, 1000"},
      {"text: 'x' sampling { logit_bias { key: -7 value: 1 } logit_bias { key: "
       "2000 value: 1 } }",
       "sampling.logit_bias[-7] names no token; ids are at least 0 and below "
       "the vocabulary size, 1000"},
      {"text: 'x' sampling { bad_words: ['a', ''] }",
       "sampling.bad_words[1] has 0 bytes; it must have 1 to 256"},

      {"text: 'x' stopping { max_tokens: 0 }",
       "stopping.max_tokens is 0; it must be at least 1"},
      {"text: 'x' stopping { stop: '' }",
       "stopping.stop[0] has 0 bytes; it must have 1 to 256"},
      {"text: 'x' stopping { stop_token_ids: [7, -3] }",
       "stopping.stop_token_ids[1] is -3" + ids},
      {"text: 'x' stopping { stop_token_ids: 1000 }",
       "stopping.stop_token_ids[0] is 1000" + ids},
      {"text: 'x' output { logprobs: 21 }",
       "output.logprobs is 21; it must be at most 20"},
      {"text: 'x' output { prompt_logprobs: 4294967295 }",
       "output.prompt_logprobs is 4294967295; it must be at most 20"},
  };
  for (const Refusal& refusal : refusals) {
    EXPECT_EQ(Resolve(refusal.request).status(),
              absl::InvalidArgumentError(refusal.message))
        << refusal.request;
  }
}

TEST(RequestValidationTest, EveryBoundaryIsAccepted) {
  const std::string requests[] = {
      "text: ''",  // The tokenizer may add a token.
      "token_ids { ids: [0, 999] }",
      "chat { messages {} }",
      "text: 'x' n: 1",
      "text: 'x' n: 64",
      "text: 'x' n: 2 best_of: 64",
      "text: 'x' n: 4 beams { beam_width: 4 length_penalty: -10 }",
      "text: 'x' sampling { temperature: 0 seed: 1 } beams { beam_width: 32 }",
      "text: 'x' cache { salt: 'tenant' bypass: true }",
      "text: 'x' sampling { temperature: 0 }",
      "text: 'x' sampling { temperature: 3.4e38 }",
      "text: 'x' sampling { top_p: 1 }",
      "text: 'x' sampling { top_p: 1e-45 }",
      "text: 'x' sampling { min_p: 0 }",
      "text: 'x' sampling { min_p: 1 }",
      "text: 'x' sampling { repetition_penalty: 1e-45 }",
      "text: 'x' sampling { presence_penalty: -2 frequency_penalty: 2 }",
      "text: 'x' sampling { logit_bias { key: 0 value: -100 } logit_bias { "
      "key: 999 value: 100 } }",
      "text: 'x' sampling { top_k: 4294967295 }",
      "text: 'x' stopping { max_tokens: 1 }",
      "text: 'x' stopping { stop_token_ids: [0, 999] }",
      "text: 'x' output { logprobs: 0 prompt_logprobs: 20 }",
  };
  for (const std::string& request : requests)
    EXPECT_TRUE(Resolve(request).ok())
        << request << ": " << Resolve(request).status();
}

// Requests too long to be written out.
v1::GenerateRequest WithText(size_t num_bytes) {
  v1::GenerateRequest request;
  request.set_text(std::string(num_bytes, 'x'));
  return request;
}

std::string MessageOf(const v1::GenerateRequest& request) {
  return std::string(Resolve(request).status().message());
}

TEST(RequestValidationTest, ListsHaveAMostNumberOfEntries) {
  v1::GenerateRequest request = WithText(1);
  for (int i = 0; i < 64; ++i) {
    request.mutable_stopping()->add_stop(std::string(256, 'x'));
    request.mutable_stopping()->add_stop_token_ids(i);
    request.mutable_sampling()->add_bad_words("x");
  }
  EXPECT_EQ(MessageOf(request), "");

  v1::GenerateRequest stops = request;
  for (int i = 64; i < 1000; ++i) stops.mutable_stopping()->add_stop("x");
  EXPECT_EQ(MessageOf(stops),
            "stopping.stop has 1000 entries; it must have at most 64");
  v1::GenerateRequest ids = request;
  ids.mutable_stopping()->add_stop_token_ids(64);
  EXPECT_EQ(MessageOf(ids),
            "stopping.stop_token_ids has 65 entries; it must have at most 64");
  v1::GenerateRequest words = request;
  words.mutable_sampling()->add_bad_words("x");
  EXPECT_EQ(MessageOf(words),
            "sampling.bad_words has 65 entries; it must have at most 64");
}

TEST(RequestValidationTest, StringsHaveAMostNumberOfBytes) {
  v1::GenerateRequest stop = WithText(1);
  stop.mutable_stopping()->add_stop(std::string(257, 'x'));
  EXPECT_EQ(MessageOf(stop),
            "stopping.stop[0] has 257 bytes; it must have 1 to 256");
  v1::GenerateRequest word = WithText(1);
  word.mutable_sampling()->add_bad_words(std::string(257, 'x'));
  EXPECT_EQ(MessageOf(word),
            "sampling.bad_words[0] has 257 bytes; it must have 1 to 256");
  v1::GenerateRequest name = WithText(1);
  name.set_request_id(std::string(128, 'x'));
  EXPECT_EQ(MessageOf(name), "");
  name.set_request_id(std::string(129, 'x'));
  EXPECT_EQ(MessageOf(name),
            "request_id has 129 bytes; it must have at most 128");
}

TEST(RequestValidationTest, ABudgetLowersMaxTokens) {
  const std::string budget = "text: 'x' kv_budget_tokens: 70 ";
  EXPECT_EQ(ResolveWithPrompt(budget, 60)->max_tokens, 10u);
  EXPECT_EQ(ResolveWithPrompt(budget + "best_of: 3", 60)->max_tokens, 3u);
  EXPECT_EQ(
      ResolveWithPrompt(budget + "stopping { max_tokens: 7 }", 60)->max_tokens,
      7u);
  EXPECT_EQ(ResolveWithPrompt("text: 'x' kv_budget_tokens: 4294967295", 60)
                ->max_tokens,
            40u);
}

TEST(RequestValidationTest, ASearchAsksTheRanksForItsCandidates) {
  const auto search =
      Resolve("text: 'x' n: 2 output { logprobs: 3 } beams { beam_width: 4 }");
  ASSERT_TRUE(search.ok());
  const auto num_stops = static_cast<uint32_t>(search->stop_tokens.size());
  EXPECT_EQ(search->num_sequences, 4u);
  EXPECT_EQ(search->num_returned, 2u);
  EXPECT_EQ(search->sampling.temperature(), 0);
  EXPECT_EQ(search->sampling.top_logprobs(), 4 + num_stops);
  EXPECT_EQ(search->beams->top_logprobs, 3u);
  EXPECT_EQ(search->beams->length_penalty, 1);
  EXPECT_EQ(search->beams->early_stopping, EarlyStopping::kFalse);
}

TEST(RequestValidationTest, OneThatCannotStopGeneratesAll) {
  const auto least = [](const std::string& stopping) {
    return ResolveWithPrompt(
               "text: 'x' stopping { max_tokens: 9 " + stopping + "}", 60)
        ->least_tokens;
  };
  EXPECT_EQ(least(""), 1u);
  EXPECT_EQ(least("min_tokens: 5"), 5u);
  EXPECT_EQ(least("ignore_eos: true"), 9u);
  EXPECT_EQ(least("ignore_eos: true stop: 'a'"), 1u);
  EXPECT_EQ(least("ignore_eos: true stop_token_ids: 4 min_tokens: 5"), 5u);
}

TEST(RequestValidationTest, APriorityIsNormalUnlessSaid) {
  EXPECT_EQ(Resolve("text: 'x'")->priority, Priority::kNormal);
  EXPECT_EQ(Resolve("text: 'x' priority: PRIORITY_NORMAL")->priority,
            Priority::kNormal);
  EXPECT_EQ(Resolve("text: 'x' priority: PRIORITY_LOW")->priority,
            Priority::kLow);
  EXPECT_EQ(Resolve("text: 'x' priority: PRIORITY_HIGH")->priority,
            Priority::kHigh);
}

struct PromptRefusal {
  std::string request;
  size_t prompt_length;
  std::string message;
};

TEST(RequestValidationTest, PromptAndGeneratedTokensMustFitTheContext) {
  const PromptRefusal refusals[] = {
      {"text: ''", 0, "prompt has 0 tokens; it must have at least 1"},
      {"text: 'x'", 100,
       "prompt has 100 tokens; it must have fewer than the context length, "
       "100"},
      {"text: 'x'", 5000,
       "prompt has 5000 tokens; it must have fewer than the context length, "
       "100"},
      {"text: 'x' stopping { max_tokens: 41 }", 60,
       "stopping.max_tokens is 41; after a prompt of 60 tokens the context "
       "length of 100 leaves 40"},
      {"text: 'x' stopping { max_tokens: 4294967295 }", 60,
       "stopping.max_tokens is 4294967295; after a prompt of 60 tokens the "
       "context length of 100 leaves 40"},
      {"text: 'x' stopping { max_tokens: 10 min_tokens: 11 }", 60,
       "stopping.min_tokens is 11; it must be at most max_tokens, 10"},
      {"text: 'x' stopping { min_tokens: 41 }", 60,
       "stopping.min_tokens is 41; it must be at most max_tokens, 40"},
      {"text: 'x' kv_budget_tokens: 60", 60,
       "kv_budget_tokens is 60; a prompt of 60 tokens and 1 more need 61"},
      {"text: 'x' kv_budget_tokens: 69 n: 2 stopping { min_tokens: 5 }", 60,
       "kv_budget_tokens is 69; a prompt of 60 tokens and 5 more for each of 2 "
       "sequences need 70"},
  };
  for (const PromptRefusal& refusal : refusals) {
    EXPECT_EQ(
        ResolveWithPrompt(refusal.request, refusal.prompt_length).status(),
        absl::InvalidArgumentError(refusal.message))
        << refusal.request;
  }
}

TEST(RequestValidationTest, MaxTokensDefaultsToWhatTheContextLeaves) {
  EXPECT_EQ(ResolveWithPrompt("text: 'x'", 60)->max_tokens, 40u);
  EXPECT_EQ(ResolveWithPrompt("text: 'x'", 99)->max_tokens, 1u);
  EXPECT_EQ(ResolveWithPrompt("text: 'x' stopping { max_tokens: 40 }", 60)
                ->max_tokens,
            40u);
  EXPECT_EQ(ResolveWithPrompt("text: 'x'", 3)->prompt,
            std::vector<Token>({5, 5, 5}));
}

TEST(RequestValidationTest, TheModelsEndTokensStopBesideTheRequestsOwn) {
  EXPECT_THAT(Resolve("text: 'x'")->stop_tokens, ElementsAre(2, 7));
  EXPECT_THAT(Resolve("text: 'x' stopping { stop_token_ids: [9, 7, 4, 9] }")
                  ->stop_tokens,
              ElementsAre(2, 4, 7, 9));
  EXPECT_THAT(
      Resolve("text: 'x' stopping { ignore_eos: true stop_token_ids: 4 }")
          ->stop_tokens,
      ElementsAre(4));
  EXPECT_THAT(Resolve("text: 'x' stopping { ignore_eos: true }")->stop_tokens,
              IsEmpty());
}

std::vector<Token> Banned(const std::string& stopping) {
  const auto resolved =
      ResolveWithPrompt("text: 'x' stopping { " + stopping + " }", 1);
  const auto& banned = resolved->sampling.banned_until_min_tokens();
  return {banned.begin(), banned.end()};
}

TEST(RequestValidationTest, WhatEndsTheSequenceIsBannedUntilMinTokens) {
  EXPECT_THAT(Banned(""), IsEmpty());
  EXPECT_THAT(Banned("min_tokens: 0"), IsEmpty());
  EXPECT_THAT(Banned("min_tokens: 3"), ElementsAre(2, 7));
  EXPECT_THAT(Banned("min_tokens: 3 stop_token_ids: 4"), ElementsAre(2, 4, 7));
  EXPECT_THAT(Banned("min_tokens: 3 stop_token_ids: 4 ignore_eos: true"),
              ElementsAre(4));
  EXPECT_THAT(Banned("min_tokens: 3 ignore_eos: true"), IsEmpty());
  EXPECT_EQ(ResolveWithPrompt("text: 'x' stopping { min_tokens: 3 }", 1)
                ->sampling.min_tokens(),
            3u);
}

TEST(RequestValidationTest,
     LogprobsAreReportedWhereAskedForEvenWithoutAlternatives) {
  const auto none = Resolve("text: 'x'");
  EXPECT_FALSE(none->reports_logprobs);
  EXPECT_FALSE(none->reports_prompt_logprobs);
  const auto chosen = Resolve("text: 'x' output { logprobs: 0 }");
  EXPECT_TRUE(chosen->reports_logprobs);
  EXPECT_FALSE(chosen->reports_prompt_logprobs);
  EXPECT_EQ(chosen->sampling.top_logprobs(), 0u);
  const auto both =
      Resolve("text: 'x' output { logprobs: 5 prompt_logprobs: 3 }");
  EXPECT_TRUE(both->reports_prompt_logprobs);
  EXPECT_EQ(both->sampling.top_logprobs(), 5u);
  EXPECT_EQ(both->sampling.top_prompt_logprobs(), 3u);
}

TEST(RequestValidationTest, TheNameIsTheClients) {
  EXPECT_EQ(Resolve("text: 'x' request_id: 'Gr\\303\\274\\303\\237e'")->name,
            "Grüße");
}

}  // namespace
}  // namespace quire
