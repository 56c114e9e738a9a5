#include "scheduler/policy/prefix_writer.h"

#include <optional>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace quire {
namespace {

constexpr uint32_t kBlockSize = 2;

struct Writer {
  std::vector<Token> prompt;
  uint32_t committed = 0;
};

struct Case {
  const char* name;
  std::vector<Token> wanted;
  uint32_t num_found;
  std::vector<Writer> writers;
  std::optional<WriterChoice> choice;
};

class PrefixWriterTest : public testing::TestWithParam<Case> {};

TEST_P(PrefixWriterTest, Chooses) {
  std::vector<PrefixWriter> writers;
  for (const Writer& writer : GetParam().writers) {
    writers.push_back({.prompt = writer.prompt, .committed = writer.committed});
  }
  EXPECT_EQ(ChooseWriter(GetParam().wanted, GetParam().num_found, writers,
                         kBlockSize),
            GetParam().choice);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, PrefixWriterTest,
    testing::Values(
        Case{"NobodyRuns", {1, 2, 3, 4}, 0, {}, std::nullopt},
        Case{"OnlyFullBlocksCount",
             {1, 2, 3, 4, 5},
             0,
             {{{1, 2, 3, 9, 5}}},
             WriterChoice{.writer = 0, .num_slots = 2}},
        Case{"LessThanABlockIsNothing",
             {1, 2, 3, 4},
             0,
             {{{1, 9, 3, 4}}},
             std::nullopt},
        Case{"TheOneWithMostInCommon",
             {1, 2, 3, 4},
             0,
             {{{1, 2, 9}}, {{1, 2, 3, 4}}, {{1, 2}}},
             WriterChoice{.writer = 1, .num_slots = 4}},
        Case{"TheFirstOfEquals",
             {1, 2, 3, 4},
             0,
             {{{1, 2, 3, 4, 5}}, {{1, 2, 3, 4, 6}}},
             WriterChoice{.writer = 0, .num_slots = 4}},
        Case{"NotForWhatIsFound", {1, 2, 3, 4}, 2, {{{1, 2, 9}}}, std::nullopt},
        Case{"NotForWhatIsWritten",
             {1, 2, 3, 4},
             0,
             {{.prompt = {1, 2, 9, 9}, .committed = 2}},
             std::nullopt},
        Case{"ForAPromptThatIsWrittenInPart",
             {1, 2, 3, 4},
             2,
             {{.prompt = {1, 2, 3, 4, 5}, .committed = 2}},
             WriterChoice{.writer = 0, .num_slots = 4}},
        Case{"NotForOneThatGenerates",
             {1, 2, 3, 4},
             0,
             {{.prompt = {1, 2, 3, 4}, .committed = 4}},
             std::nullopt}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace quire
