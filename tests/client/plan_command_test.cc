#include "client/plan_command.h"

#include <algorithm>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/client/offline_command.h"
#include "tests/testing/temporary_folder.h"

namespace quire {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// A trace that is not recorded is a short one.
OfflineOutcome Plan(std::vector<std::string> words) {
  const bool is_recorded = std::ranges::any_of(
      words, [](const auto& word) { return word.ends_with(".jsonl"); });
  if (!is_recorded) words.insert(words.begin(), "--requests=40");
  words.insert(words.begin(), {"plan", "--rate=12"});
  return RunOffline(PlanCommand(), words);
}

nlohmann::json Answer(std::vector<std::string> words) {
  words.push_back("--json");
  const OfflineOutcome outcome = Plan(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return nlohmann::json::parse(outcome.out);
}

std::string ErrorOf(const std::vector<std::string>& words) {
  const OfflineOutcome outcome = Plan(words);
  EXPECT_EQ(outcome.exit_code, 1);
  return outcome.err;
}

TEST(PlanCommandTest, PrintsAPlanForPeople) {
  const OfflineOutcome outcome = Plan({"--target=tbt_p90=0.025"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("opt-13b on 1 x a100-40gb\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("12 GiB: 983 blocks of 16 slots (12.5 MiB)"));
  EXPECT_THAT(outcome.out, HasSubstr(" replicas for 12 requests/s, "));
  EXPECT_THAT(outcome.out, HasSubstr("  over 3 traces\n"));
}

TEST(PlanCommandTest, AStricterTargetTakesMoreReplicas) {
  const auto loose = Answer({"--target=tbt_p90=0.04"});
  const auto strict = Answer({"--target=tbt_p90=0.025"});
  EXPECT_GT(strict["replicas"], loose["replicas"]);
  EXPECT_GT(loose["sustained_rate"], strict["sustained_rate"]);
  EXPECT_LE(strict["figures"]["tbt_p90"]["most"], 0.025);
  EXPECT_EQ(strict["figures"]["tbt_p90"]["at_most"], 0.025);
  EXPECT_FALSE(strict["figures"]["ttft_p90"].contains("at_most"));
}

TEST(PlanCommandTest, ReservedMemoryTakesMoreReplicas) {
  EXPECT_GT(Answer({"--policy=orca_max"})["replicas"], Answer({})["replicas"]);
}

TEST(PlanCommandTest, SaysWhyNothingSuffices) {
  const std::string strict = "--target=ttft_p50=0.001";
  EXPECT_THAT(Plan({strict}).out,
              HasSubstr("No number of replicas serves 12 requests/s within the "
                        "targets:\nttft_p50 is 0.0"));
  const auto answer = Answer({strict});
  EXPECT_EQ(answer["replicas"], 0);
  EXPECT_THAT(std::string(answer["obstacle"]), HasSubstr("one by one"));
}

TEST(PlanCommandTest, RequestsThatNeverFitHaveNoFigures) {
  const std::string small = "--num_slots=16";
  const std::string text = Plan({small}).out;
  EXPECT_THAT(text, EndsWith("40 requests never fit its 16 slots.\n"));
  EXPECT_FALSE(Answer({small}).contains("figures"));
}

TEST(PlanCommandTest, PlansForARecordedTrace) {
  const testing::TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 20; ++i) {
    lines += R"({"arrival_s": )" + std::to_string(i) +
             R"(, "prompt_tokens": 50, "output_tokens": 20})" + "\n";
  }
  const std::string trace = "--trace=" + folder.Write("t.jsonl", lines);
  const auto answer = Answer({trace});
  EXPECT_NEAR(answer["rate"], 12, 1e-6);
  EXPECT_EQ(answer["figures"]["ttft_p50"]["least"],
            answer["figures"]["ttft_p50"]["most"]);
  const std::string one =
      "--trace=" + folder.Write("one.jsonl", lines.substr(0, lines.find('\n')));
  EXPECT_THAT(ErrorOf({one}), HasSubstr("arrive at once"));
}

TEST(PlanCommandTest, NamesAFlagThatIsWrong) {
  EXPECT_THAT(ErrorOf({"--target=x"}), HasSubstr("no latency \"x\""));
  EXPECT_THAT(ErrorOf({"--seeds=0"}), HasSubstr("seeds is 0"));
}

}  // namespace
}  // namespace quire
