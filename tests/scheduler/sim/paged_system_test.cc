#include "scheduler/sim/paged_system.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scheduler/sim/system_fixture.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::Pair;
using testing::SizeIs;

class PagedSystemTest : public SystemTest {
 protected:
  PagedSystem Make(uint32_t num_blocks) {
    EngineOptions engine;
    engine.check_consistency_every_step = true;
    return PagedSystem(
        {.engine = engine, .num_blocks = num_blocks, .block_size = 4}, &cost_);
  }
};

TEST_F(PagedSystemTest, ServesEachSequenceItsTokens) {
  PagedSystem system = Make(/*num_blocks=*/16);
  Submit(system, 1, 4, 3);
  Submit(system, 2, 4, 1);
  RunToEnd(system);
  EXPECT_THAT(When(Progress::kFirstToken), ElementsAre(Pair(1, 1), Pair(2, 1)));
  EXPECT_THAT(When(Progress::kFinished), ElementsAre(Pair(1, 3), Pair(2, 1)));
  EXPECT_EQ(system.totals().num_rows, 4 + 4 + 1 + 1);
}

TEST_F(PagedSystemTest, OnlyTheLastBlockOfASequenceIsNotFull) {
  PagedSystem system = Make(/*num_blocks=*/16);
  Submit(system, 1, 5, 9);
  Advance(system);
  Step(system);
  const Occupancy occupancy = system.occupancy();
  EXPECT_EQ(occupancy.num_running, 1);
  EXPECT_EQ(occupancy.slots.total, 64);
  EXPECT_EQ(occupancy.slots.tokens, 5);
  EXPECT_EQ(occupancy.slots.allocated, 8);
  EXPECT_EQ(occupancy.slots.over_reserved, 3);
}

TEST_F(PagedSystemTest, PreemptsWhereBlocksRunOutAndFinishesAll) {
  PagedSystem system = Make(/*num_blocks=*/5);
  Submit(system, 1, 4, 12);
  Submit(system, 2, 4, 12);
  RunToEnd(system);
  EXPECT_THAT(When(Progress::kFinished), SizeIs(2));
  EXPECT_GT(system.totals().num_preemptions, 0);
}

TEST_F(PagedSystemTest, BeamsShareMoreThanTheirPrompt) {
  const auto most_saved = [this](bool is_beam_search) {
    PagedSystem system = Make(/*num_blocks=*/64);
    system.Submit({.key = 1,
                   .prompt = std::vector<Token>(8, 1),
                   .output_tokens = 40,
                   .num_sequences = 4,
                   .is_beam_search = is_beam_search});
    uint64_t most = 0;
    Advance(system);
    while (system.next_event() < absl::InfiniteDuration()) {
      Step(system);
      most = std::max(most, system.occupancy().slots.saved);
    }
    return most;
  };
  EXPECT_GT(most_saved(/*is_beam_search=*/true),
            most_saved(/*is_beam_search=*/false));
  EXPECT_THAT(When(Progress::kFinished), SizeIs(1));
}

TEST_F(PagedSystemTest, SwapsToHostBlocksAndComputesNothingAgain) {
  PagedSystem system({.engine = {.preemption = PreemptionMode::kSwap},
                      .num_blocks = 5,
                      .num_host_blocks = 8,
                      .block_size = 4},
                     &cost_);
  Submit(system, 1, 4, 12);
  Submit(system, 2, 4, 12);
  RunToEnd(system);
  EXPECT_THAT(When(Progress::kFinished), SizeIs(2));
  EXPECT_GT(system.totals().num_swap_preemptions, 0);
  EXPECT_EQ(system.totals().num_rows, 2 * (4 + 11));
}

TEST_F(PagedSystemTest, SequencesOfARequestShareItsPrompt) {
  PagedSystem system = Make(/*num_blocks=*/16);
  Submit(system, 1, 9, 3, /*num_sequences=*/3);
  Advance(system);
  Step(system);
  Step(system);
  const Occupancy occupancy = system.occupancy();
  EXPECT_EQ(occupancy.num_running, 1);
  // Two full blocks are shared by all; the third one is each one's own.
  EXPECT_EQ(occupancy.slots.allocated, (2 + 3) * 4);
  EXPECT_EQ(occupancy.slots.saved, 2 * 2 * 4);
  RunToEnd(system);
  EXPECT_THAT(When(Progress::kFinished), ElementsAre(Pair(1, testing::_)));
}

TEST_F(PagedSystemTest, SamplesShareNoBlockThatTheyGenerated) {
  PagedSystem system = Make(/*num_blocks=*/32);
  Submit(system, 1, 5, 16, /*num_sequences=*/2);
  Advance(system);
  for (int i = 0; i < 14; ++i) Step(system);
  EXPECT_EQ(system.occupancy().slots.saved, 4);
}

TEST_F(PagedSystemTest, PrefixesAreSharedUnlessTheCacheIsOff) {
  for (const bool prefix_cache : {true, false}) {
    PagedSystem system({.engine = {.prefix_cache = prefix_cache},
                        .num_blocks = 16,
                        .block_size = 4},
                       &cost_);
    const std::vector<Token> prompt(9, Token(7));
    system.Submit({.key = 1, .prompt = prompt, .output_tokens = 3});
    system.Submit({.key = 2, .prompt = prompt, .output_tokens = 3});
    RunToEnd(system);
    EXPECT_EQ(system.totals().num_rows,
              prefix_cache ? 9 + 1 + 2 * 2 : 9 + 9 + 2 * 2);
  }
}

TEST_F(PagedSystemTest, RefusesWhatNeverFits) {
  PagedSystem system = Make(/*num_blocks=*/2);
  Submit(system, 1, 4, 6);
  RunToEnd(system);
  EXPECT_THAT(When(Progress::kRefused), ElementsAre(Pair(1, 0)));
}

TEST_F(PagedSystemTest, TimesEveryStepOfTheScheduler) {
  PagedSystem system = Make(/*num_blocks=*/16);
  Submit(system, 1, 4, 8);
  RunToEnd(system);
  EXPECT_THAT(system.times().plan, SizeIs(8));
  EXPECT_THAT(system.group().dispatches(), SizeIs(8));
  EXPECT_FALSE(system.times().commit.empty());
  for (const absl::Duration time : system.times().plan) {
    EXPECT_GE(time, absl::ZeroDuration());
  }
}

}  // namespace
}  // namespace quire
