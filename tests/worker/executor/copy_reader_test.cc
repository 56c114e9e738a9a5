#include "worker/executor/copy_reader.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/testing/plan_writer.h"

namespace quire {
namespace {

using testing::PlanWriter;
using worker::v1::BlockCopies;

class CopyReaderTest : public ::testing::Test {
 protected:
  // Whatever is copied is written.
  absl::Status Read(const BlockCopies& copies) {
    for (uint32_t i = 0; i < 10; ++i) written_.Set(BlockId(i), 16);
    return reader_.Read(copies, &written_);
  }
  std::string Refusal(const BlockCopies& copies) {
    const absl::Status status = Read(copies);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return std::string(status.message());
  }
  std::string Refusal(const PlanWriter& plan) {
    return Refusal(plan.plan().copies());
  }

  CopyReader reader_{/*block_size=*/16, /*num_blocks=*/10};
  WrittenSlots written_{/*block_size=*/16, /*num_blocks=*/10};
};

TEST_F(CopyReaderTest, CopiesArriveInOrder) {
  const PlanWriter plan = PlanWriter(1).Copy(1, 2, 16).Copy(1, 3, 5);
  ASSERT_TRUE(Read(plan.plan().copies()).ok());
  ASSERT_EQ(reader_.copies().size(), 2u);
  EXPECT_EQ(reader_.copies()[0].source, BlockId(1));
  EXPECT_EQ(reader_.copies()[0].destination, BlockId(2));
  EXPECT_EQ(reader_.copies()[0].num_slots, 16);
  EXPECT_EQ(reader_.copies()[1].destination, BlockId(3));
  EXPECT_EQ(reader_.copies()[1].num_slots, 5);
}

TEST_F(CopyReaderTest, EachReadStartsAfresh) {
  ASSERT_TRUE(Read(PlanWriter(1).Copy(1, 2, 16).plan().copies()).ok());
  ASSERT_TRUE(Read(PlanWriter(2).Copy(2, 1, 16).plan().copies()).ok());
  EXPECT_EQ(reader_.copies().size(), 1u);
  ASSERT_TRUE(Read({}).ok());
  EXPECT_TRUE(reader_.copies().empty());
}

TEST_F(CopyReaderTest, BlocksAndSlotsOutOfRangeAreRefused) {
  EXPECT_EQ(Refusal(PlanWriter(1).Copy(10, 1, 1)),
            "block 10 is copied to block 1, there are 10");
  EXPECT_EQ(Refusal(PlanWriter(1).Copy(1, ~0u, 1)),
            "block 1 is copied to block 4294967295, there are 10");
  EXPECT_EQ(Refusal(PlanWriter(1).Copy(1, 2, 0)),
            "copy 0 is of 0 slots, must be 1 to 16");
  EXPECT_EQ(Refusal(PlanWriter(1).Copy(1, 2, 17)),
            "copy 0 is of 17 slots, must be 1 to 16");
}

TEST_F(CopyReaderTest, CopyHoldsWhatItsSourceDoes) {
  written_.Set(BlockId(1), 5);
  written_.Set(BlockId(2), 16);
  const PlanWriter plan = PlanWriter(1).Copy(1, 2, 3).Copy(1, 3, 5);
  ASSERT_TRUE(reader_.Read(plan.plan().copies(), &written_).ok());
  EXPECT_EQ(written_.in(BlockId(1)), 5);
  EXPECT_EQ(written_.in(BlockId(2)), 3);
  EXPECT_EQ(written_.in(BlockId(3)), 5);
}

TEST_F(CopyReaderTest, CopyOfSlotsThatWereNotWrittenIsRefused) {
  written_.Set(BlockId(1), 5);
  EXPECT_EQ(
      reader_.Read(PlanWriter(1).Copy(1, 2, 6).plan().copies(), &written_),
      absl::InvalidArgumentError("the first 6 slots of block 1 are copied, "
                                 "only 5 are written"));
}

TEST_F(CopyReaderTest, CopiesWhoseOrderWouldMatterAreRefused) {
  EXPECT_EQ(Refusal(PlanWriter(1).Copy(1, 3, 1).Copy(2, 3, 1)),
            "two copies go to block 3");
  EXPECT_EQ(Refusal(PlanWriter(1).Copy(1, 2, 1).Copy(2, 3, 1)),
            "block 2 is both source and destination of copies");
  EXPECT_EQ(Refusal(PlanWriter(1).Copy(2, 3, 1).Copy(1, 2, 1)),
            "block 2 is both source and destination of copies");
  EXPECT_EQ(Refusal(PlanWriter(1).Copy(4, 4, 1)),
            "block 4 is both source and destination of copies");
}

TEST_F(CopyReaderTest, UnevenArraysAreRefused) {
  BlockCopies copies = PlanWriter(1).Copy(1, 2, 1).plan().copies();
  copies.add_source(3);
  EXPECT_EQ(Refusal(copies),
            "copies has 2 sources, 1 destinations and 1 num_slots");
}

}  // namespace
}  // namespace quire
