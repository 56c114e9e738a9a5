#include "client/simulate_command.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/command_flags.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "scheduler/sim/machine.h"
#include "scheduler/sim/model_shape.h"
#include "tests/client/offline_command.h"
#include "tests/testing/temporary_folder.h"

namespace quire {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class SimulateCommandTest : public ::testing::Test {
 protected:
  // A trace that is not recorded is a short one.
  static OfflineOutcome Simulate(std::vector<std::string> words) {
    const bool is_recorded = std::ranges::any_of(
        words, [](const auto& word) { return word.ends_with(".jsonl"); });
    if (!is_recorded) words.insert(words.begin(), "--requests=20");
    words.insert(words.begin(), "simulate");
    return RunOffline(SimulateCommand(), words);
  }
  static nlohmann::json Figures(std::vector<std::string> words) {
    words.push_back("--json");
    const OfflineOutcome outcome = Simulate(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out);
  }
  static std::string ErrorOf(const std::vector<std::string>& words,
                             int exit_code = 1) {
    const OfflineOutcome outcome = Simulate(words);
    EXPECT_EQ(outcome.exit_code, exit_code);
    return outcome.err;
  }
  testing::TemporaryFolder folder_;
};

TEST_F(SimulateCommandTest, PrintsFiguresForPeople) {
  const OfflineOutcome outcome = Simulate({});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("requests            20, 0 refused"));
  EXPECT_THAT(outcome.out, HasSubstr("\nserialize "));
}

TEST_F(SimulateCommandTest, TheSchedulersOwnTimesAreThoseOfPaged) {
  EXPECT_TRUE(Figures({}).contains("plan_us"));
  EXPECT_FALSE(Figures({"--policy=orca_max"}).contains("plan_us"));
  EXPECT_THAT(Simulate({"--policy=static"}).out, Not(HasSubstr("serialize")));
}

TEST_F(SimulateCommandTest, TheSeedDecidesTheTrace) {
  const auto a = Figures({"--seed=5"});
  EXPECT_EQ(a["duration_s"], Figures({"--seed=5"})["duration_s"]);
  EXPECT_NE(a["duration_s"], Figures({"--seed=6"})["duration_s"]);
}

TEST_F(SimulateCommandTest, MemoryIsGivenInBytesOrInSlots) {
  // 800 KiB a slot.
  const auto bytes = Figures({"--kv_memory=1677721600"});
  const auto slots = Figures({"--num_slots=2048"});
  EXPECT_EQ(bytes["slots"], slots["slots"]);
  EXPECT_NE(bytes["slots"], Figures({})["slots"]);
  EXPECT_THAT(ErrorOf({"--kv_memory=1", "--num_slots=1"}),
              HasSubstr("give one"));
}

TEST_F(SimulateCommandTest, MemoryForLessThanABlockIsRefusedByItsFlag) {
  EXPECT_THAT(ErrorOf({"--kv_memory=1"}),
              HasSubstr("kv_memory is 1, must be 13107200 to"));
  EXPECT_EQ(Figures({"--kv_memory=13107200"})["refused"], 20);
  EXPECT_THAT(ErrorOf({"--num_slots=15"}),
              HasSubstr("num_slots is 15, must be 16 to"));
  // The weights, and ten slots.
  const std::string bytes =
      absl::StrCat(FindModelShape("opt-13b")->weight_bytes() + 10 * 819200);
  EXPECT_THAT(ErrorOf({"--device_memory=" + bytes}),
              HasSubstr("device_memory is " + bytes + ", must be 2"));
}

TEST_F(SimulateCommandTest, ConcurrencyKeepsRequestsOpen) {
  const auto figures =
      Figures({"--concurrency=4", "--policy=orca_max", "--rate=0.001"});
  EXPECT_NEAR(figures["batched_requests"], 4, 0.1);
}

TEST_F(SimulateCommandTest, SamplesShareTheirPrompt) {
  EXPECT_EQ(Figures({})["slots"]["saved_by_sharing"], 0);
  EXPECT_GT(Figures({"--sequences=4"})["slots"]["saved_by_sharing"], 0.1);
  EXPECT_EQ(Figures({"--sequences=4",
                     "--policy=orca_oracle"})["slots"]["saved_by_sharing"],
            0);
}

TEST_F(SimulateCommandTest, SamplesAreSequencesOfTheirOwn) {
  const double rows_of_one = Figures({"--rate=100"})["rows_per_step"];
  const double rows_of_four =
      Figures({"--rate=100", "--sequences=4"})["rows_per_step"];
  EXPECT_GT(rows_of_four, 2 * rows_of_one);
}

TEST_F(SimulateCommandTest, PlaysARecordedTrace) {
  const std::string path = folder_.Write(
      "t.jsonl",
      "{\"arrival_s\": 0, \"prompt_tokens\": 5, \"output_tokens\": 3}\n");
  const auto figures = Figures({"--trace=" + path});
  EXPECT_EQ(figures["requests"], 1);
  EXPECT_EQ(figures["steps"], 3);
  const std::string bad = folder_.Write("bad.jsonl", "{\"arrival_s\": -1}\n");
  EXPECT_THAT(ErrorOf({"--trace=" + bad}),
              HasSubstr(bad + ": line 1: arrival_s is -1"));
  EXPECT_THAT(ErrorOf({"--trace=/no/such.jsonl"}),
              HasSubstr("/no/such.jsonl: cannot be read: No such file"));
}

TEST_F(SimulateCommandTest, ARecordedTraceIsPlayedAtTheRateThatIsAskedFor) {
  std::string lines;
  for (const char* arrival : {"0", "10", "20"}) {
    lines += std::string("{\"arrival_s\": ") + arrival +
             ", \"prompt_tokens\": 5, \"output_tokens\": 1}\n";
  }
  const std::string trace = "--trace=" + folder_.Write("t.jsonl", lines);
  EXPECT_NEAR(Figures({trace})["duration_s"], 20, 1);
  EXPECT_NEAR(Figures({trace, "--rate=0.2"})["duration_s"], 10, 1);
  const std::string at_once =
      "--trace=" + folder_.Write("at_once.jsonl", lines.substr(0, 57));
  EXPECT_THAT(ErrorOf({at_once, "--rate=1"}), HasSubstr("arrive at once"));
}

TEST_F(SimulateCommandTest, AFlagThatTheTraceWouldIgnoreIsRefused) {
  const std::string recorded = folder_.Write(
      "t.jsonl", R"({"arrival_s": 0, "prompt_tokens": 5, "output_tokens": 3})");
  const auto refuses = [](const std::string& trace, const std::string& name,
                          const std::string& value) {
    EXPECT_THAT(ErrorOf({"--trace=" + trace, "--" + name + value}, kUsageError),
                HasSubstr("--" + name + " does not apply to --trace=" + trace));
  };
  for (const char* name : {"requests", "mean_prompt", "mean_output",
                           "prefix_tokens", "sequences", "seed"}) {
    refuses(recorded, name, "=20");
  }
  refuses(recorded, "beam_search", "");
  refuses("orca", "mean_prompt", "=20");
  refuses("alpaca", "prefix_tokens", "=20");
}

TEST_F(SimulateCommandTest, ALongSharedPrefixIsKeptOnceUnlessTheCacheIsOff) {
  const auto saved = [](std::vector<std::string> words) {
    words.insert(words.end(), {"--trace=shared_prefix", "--rate=20"});
    return static_cast<double>(Figures(words)["slots"]["saved_by_sharing"]);
  };
  EXPECT_GT(saved({}), 0.3);
  EXPECT_GT(saved({"--prefix_tokens=800"}), saved({}));
  EXPECT_EQ(saved({"--prefix_cache=false"}), 0);
}

TEST_F(SimulateCommandTest, LengthsCanBeTheUsersOwn) {
  const auto output = [](std::vector<std::string> words) {
    words.push_back("--concurrency=1");
    const auto figures = Figures(words);
    return static_cast<double>(figures["output_tok_s"]) *
           static_cast<double>(figures["duration_s"]);
  };
  EXPECT_LT(output({"--mean_output=20"}), output({}) / 5);
  EXPECT_THAT(ErrorOf({"--mean_output=600"}),
              HasSubstr("mean_output is 600, must be 1 to 511"));
}

TEST_F(SimulateCommandTest, AdmissionDecidesWhoIsPreempted) {
  const std::vector<std::string> words = {"--num_slots=2100", "--rate=50"};
  EXPECT_GT(Figures(words)["preemptions"], 0);
  EXPECT_EQ(Figures({"--num_slots=2100", "--rate=50",
                     "--admission=worst_case"})["preemptions"],
            0);
}

TEST_F(SimulateCommandTest, TheCacheIsWhatWeightsLeaveOfTheDevices) {
  const auto tokens = [](const std::string& devices) {
    return static_cast<double>(
        Figures({"--device_memory=40000000000", devices})["slots"]["tokens"]);
  };
  EXPECT_GT(tokens("--devices=1"), 2 * tokens("--devices=2"));
  EXPECT_THAT(ErrorOf({"--device_memory=1000000"}),
              HasSubstr("has no room for the KV cache"));
}

TEST_F(SimulateCommandTest, MachinesCanBeTheUsersOwn) {
  std::string text = KnownMachines();
  text.replace(text.find("a100-40gb"), 9, "mine-mine");
  text.replace(text.find("step_overhead_s = 1e-3"), 22,
               "step_overhead_s = 1000");
  const std::string path = folder_.Write("machines", text);
  EXPECT_GT(
      Figures({"--machine=mine-mine", "--machine_file=" + path})["duration_s"],
      1000);
  EXPECT_THAT(ErrorOf({"--machine=x"}), HasSubstr("no machine x"));
  const std::string empty = "--machine_file=" + folder_.Write("empty", "");
  EXPECT_THAT(ErrorOf({"--machine=x", empty}), HasSubstr("no machine x"));
  EXPECT_THAT(ErrorOf({"--machine_file=" + folder_.path()}),
              HasSubstr("cannot be read: Is a directory"));
}

TEST_F(SimulateCommandTest, AFolderIsAModel) {
  folder_.Write(
      "config.json",
      R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama",
            "hidden_size": 64, "intermediate_size": 128,
            "num_hidden_layers": 2, "num_attention_heads": 4,
            "num_key_value_heads": 2, "vocab_size": 100,
            "max_position_embeddings": 4096, "rms_norm_eps": 1e-5,
            "hidden_act": "silu"})");
  const std::string model = "--model_shape=" + folder_.path();
  EXPECT_EQ(Figures({model, "--machine=xeon-2-cores",
                     "--num_slots=10000"})["requests"],
            20);
  EXPECT_THAT(ErrorOf({model}), HasSubstr("--machine must say"));
  EXPECT_THAT(ErrorOf({model, "--machine=xeon-2-cores"}),
              HasSubstr("--device_memory, --kv_memory or --num_slots must say "
                        "how large"));
}

TEST_F(SimulateCommandTest, NamesAFlagThatIsOutOfRange) {
  EXPECT_THAT(ErrorOf({"--rate=0"}), HasSubstr("rate is 0"));
  EXPECT_THAT(ErrorOf({"--requests=0"}), HasSubstr("requests is 0"));
  EXPECT_THAT(ErrorOf({"--sequences=0"}), HasSubstr("sequences is 0"));
  EXPECT_THAT(ErrorOf({"--block_size=0"}), HasSubstr("block_size is 0"));
  EXPECT_THAT(ErrorOf({"--max_step_tokens=0"}),
              HasSubstr("max_step_tokens is 0"));
  EXPECT_THAT(ErrorOf({"--policy=x"}, kUsageError),
              HasSubstr("--policy cannot be \"x\", it must be paged, static"));
  EXPECT_THAT(ErrorOf({"--trace=x"}), HasSubstr("no trace x"));
  EXPECT_THAT(ErrorOf({"--model_shape=x"}), HasSubstr("no model x"));
}

}  // namespace
}  // namespace quire
