#include "scheduler/memory/block_ledger.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(BlockLedgerTest, TablesThatHoldAllReferencesAddUp) {
  BlockPool pool(4);
  BlockTable a(&pool, 2);
  BlockTable b(&pool, 2);
  ASSERT_TRUE(a.Reserve(3));
  ASSERT_TRUE(b.Reserve(1));
  EXPECT_TRUE(
      CheckReferences(pool, std::vector<const BlockTable*>{&a, &b}).ok());
}

TEST(BlockLedgerTest, AReferenceOutsideAllTablesIsNamed) {
  BlockPool pool(4);
  BlockTable table(&pool, 2);
  ASSERT_TRUE(table.Reserve(2));
  const BlockRef stray = table.blocks()[0].Share();
  const absl::Status status =
      CheckReferences(pool, std::vector<const BlockTable*>{&table});
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("block 0 has 2 references, 1 entries"));
}

TEST(BlockLedgerTest, AForgottenTableIsNamed) {
  BlockPool pool(4);
  BlockTable table(&pool, 2);
  ASSERT_TRUE(table.Reserve(2));
  EXPECT_FALSE(CheckReferences(pool, {}).ok());
}

}  // namespace
}  // namespace quire
