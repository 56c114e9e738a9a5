#include "worker/executor/swap_reader.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/testing/plan_writer.h"

namespace quire {
namespace {

using testing::PlanWriter;
using worker::v1::StepPlan;

// Ten blocks of four slots and five host blocks.
class SwapReaderTest : public ::testing::Test {
 protected:
  absl::Status Read(const StepPlan& plan) {
    const absl::Status status = reader_.ReadOut(plan.swaps_out(), written_);
    return status.ok() ? reader_.ReadIn(plan.swaps_in(), &written_) : status;
  }
  absl::Status Read(const PlanWriter& plan) { return Read(plan.plan()); }
  std::string Refusal(const StepPlan& plan) {
    const absl::Status status = Read(plan);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  }
  std::string Refusal(const PlanWriter& plan) { return Refusal(plan.plan()); }

  SwapReader reader_{/*num_blocks=*/10, /*num_host_blocks=*/5};
  WrittenSlots written_{/*block_size=*/4, /*num_blocks=*/10};
};

TEST_F(SwapReaderTest, SwapsOfBothDirectionsArriveInOrder) {
  ASSERT_TRUE(
      Read(PlanWriter(1).SwapOut(9, 0).SwapOut(2, 4).SwapIn(4, 7)).ok());
  ASSERT_EQ(reader_.swaps_out().size(), 2u);
  EXPECT_EQ(reader_.swaps_out()[0].block, BlockId(9));
  EXPECT_EQ(reader_.swaps_out()[0].host_block, HostBlockId(0));
  EXPECT_EQ(reader_.swaps_out()[1].block, BlockId(2));
  ASSERT_EQ(reader_.swaps_in().size(), 1u);
  EXPECT_EQ(reader_.swaps_in()[0].block, BlockId(7));
  EXPECT_EQ(reader_.swaps_in()[0].host_block, HostBlockId(4));
}

TEST_F(SwapReaderTest, EachReadStartsAfresh) {
  ASSERT_TRUE(Read(PlanWriter(1).SwapOut(9, 0).SwapIn(0, 1)).ok());
  ASSERT_TRUE(Read(PlanWriter(2).SwapOut(9, 0).SwapIn(0, 1)).ok());
  EXPECT_EQ(reader_.swaps_out().size(), 1u);
  ASSERT_TRUE(Read(PlanWriter(3)).ok());
  EXPECT_TRUE(reader_.swaps_out().empty());
  EXPECT_TRUE(reader_.swaps_in().empty());
}

TEST_F(SwapReaderTest, BlockComesBackAsFarFilledAsItWas) {
  written_.Set(BlockId(1), 3);
  ASSERT_TRUE(Read(PlanWriter(1).SwapOut(1, 0)).ok());
  written_.Set(BlockId(1), 4);  // By its next owner.
  written_.Set(BlockId(6), 1);
  ASSERT_TRUE(Read(PlanWriter(2).SwapIn(0, 6)).ok());
  EXPECT_EQ(written_.in(BlockId(1)), 4);
  EXPECT_EQ(written_.in(BlockId(6)), 3);
}

TEST_F(SwapReaderTest, HostBlockKeepsItsContentUntilItIsADestinationAgain) {
  written_.Set(BlockId(1), 3);
  written_.Set(BlockId(2), 2);
  ASSERT_TRUE(Read(PlanWriter(1).SwapOut(1, 0)).ok());
  ASSERT_TRUE(Read(PlanWriter(2).SwapIn(0, 6)).ok());
  ASSERT_TRUE(Read(PlanWriter(3).SwapIn(0, 7)).ok());
  EXPECT_EQ(written_.in(BlockId(7)), 3);
  ASSERT_TRUE(Read(PlanWriter(4).SwapOut(2, 0).SwapIn(0, 8)).ok());
  EXPECT_EQ(written_.in(BlockId(8)), 2);
}

TEST_F(SwapReaderTest, BlockMaySwapItsContent) {
  written_.Set(BlockId(1), 3);
  written_.Set(BlockId(2), 2);
  ASSERT_TRUE(Read(PlanWriter(1).SwapOut(1, 0)).ok());
  ASSERT_TRUE(Read(PlanWriter(2).SwapOut(2, 1).SwapIn(0, 2)).ok());
  EXPECT_EQ(written_.in(BlockId(2)), 3);
}

TEST_F(SwapReaderTest, BlockThatWasReservedButNotWrittenMayComeAndGo) {
  ASSERT_TRUE(Read(PlanWriter(1).SwapOut(1, 0)).ok());
  written_.Set(BlockId(2), 4);
  ASSERT_TRUE(Read(PlanWriter(2).SwapIn(0, 2)).ok());
  EXPECT_EQ(written_.in(BlockId(2)), 0);
}

TEST_F(SwapReaderTest, HostBlockThatHoldsNothingIsRefused) {
  EXPECT_EQ(Refusal(PlanWriter(1).SwapIn(3, 0)),
            "host block 3 is swapped in, but nothing was swapped out to it");
}

TEST_F(SwapReaderTest, BlocksOutOfRangeAreRefused) {
  EXPECT_EQ(Refusal(PlanWriter(1).SwapOut(10, 0)),
            "block 10 and host block 0 are swapped, there are 10 and 5");
  EXPECT_EQ(Refusal(PlanWriter(1).SwapOut(0, 5)),
            "block 0 and host block 5 are swapped, there are 10 and 5");
  EXPECT_EQ(
      Refusal(PlanWriter(1).SwapIn(~0u, 0)),
      "block 0 and host block 4294967295 are swapped, there are 10 and 5");
  EXPECT_EQ(
      Refusal(PlanWriter(1).SwapIn(0, ~0u)),
      "block 4294967295 and host block 0 are swapped, there are 10 and 5");
}

TEST_F(SwapReaderTest, BlockThatIsNamedTwiceIsRefused) {
  EXPECT_EQ(Refusal(PlanWriter(1).SwapOut(1, 0).SwapOut(1, 2)),
            "block 1 is swapped twice");
  EXPECT_EQ(Refusal(PlanWriter(1).SwapOut(1, 0).SwapOut(2, 0)),
            "host block 0 is swapped twice");
  ASSERT_TRUE(Read(PlanWriter(1).SwapOut(1, 0).SwapOut(2, 1)).ok());
  EXPECT_EQ(Refusal(PlanWriter(1).SwapIn(0, 3).SwapIn(0, 4)),
            "host block 0 is swapped twice");
  EXPECT_EQ(Refusal(PlanWriter(1).SwapIn(0, 3).SwapIn(1, 3)),
            "block 3 is swapped twice");
}

TEST_F(SwapReaderTest, UnevenArraysAreRefused) {
  StepPlan plan = PlanWriter(1).SwapOut(1, 0).plan();
  plan.mutable_swaps_out()->add_source(2);
  EXPECT_EQ(Refusal(plan), "swaps_out has 2 sources and 1 destinations");
  plan = PlanWriter(1).plan();
  plan.mutable_swaps_in()->add_destination(2);
  EXPECT_EQ(Refusal(plan), "swaps_in has 0 sources and 1 destinations");
}

TEST_F(SwapReaderTest, WithoutHostBlocksNothingIsSwapped) {
  SwapReader none(/*num_blocks=*/10, /*num_host_blocks=*/0);
  EXPECT_TRUE(none.ReadOut({}, written_).ok());
  EXPECT_FALSE(
      none.ReadOut(PlanWriter(1).SwapOut(0, 0).plan().swaps_out(), written_)
          .ok());
}

}  // namespace
}  // namespace quire
