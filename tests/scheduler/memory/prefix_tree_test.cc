#include "scheduler/memory/prefix_tree.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Every edge looks like every other.
uint64_t ConstantHash(uint64_t, std::span<const Token>) { return 42; }

// Six blocks of two slots. A sequence is written by Write, which holds its
// blocks until Drop.
class PrefixTreeTest : public testing::Test {
 protected:
  using Tokens = std::vector<Token>;

  std::vector<uint32_t> Find(const Tokens& tokens, uint32_t max_blocks = 99,
                             const char* space = "") {
    std::vector<uint32_t> ids;
    for (BlockId id : tree_.Find(tree_.SpaceOf(space), tokens, max_blocks)) {
      ids.push_back(id.value());
    }
    return ids;
  }

  // Publishes all full blocks of a new sequence; its blocks, canonical ones in
  // the place of duplicates.
  std::vector<BlockRef> Write(const Tokens& tokens, const char* space = "") {
    std::vector<BlockRef> blocks;
    std::optional<BlockId> parent;
    for (size_t i = 0; i + 2 <= tokens.size(); i += 2) {
      BlockRef own = *pool_.Allocate();
      const std::optional<BlockId> node =
          tree_.Publish(tree_.SpaceOf(space), parent,
                        std::span(tokens).subspan(i, 2), own.id());
      if (node.has_value() && *node != own.id()) own = pool_.Revive(*node);
      parent = own.id();
      blocks.push_back(std::move(own));
    }
    return blocks;
  }
  // The last one first, as a table does.
  static void Drop(std::vector<BlockRef>& blocks) {
    while (!blocks.empty()) blocks.pop_back();
  }
  void WriteAndDrop(const Tokens& tokens, const char* space = "") {
    std::vector<BlockRef> blocks = Write(tokens, space);
    Drop(blocks);
  }
  void TearDown() override {
    EXPECT_EQ(std::string(tree_.CheckConsistency().message()), "");
    EXPECT_EQ(std::string(pool_.CheckConsistency().message()), "");
  }

  BlockPool pool_{6};
  PrefixTree tree_{&pool_, /*block_size=*/2};
};

TEST_F(PrefixTreeTest, FindsTheLongestPathOfFullBlocks) {
  WriteAndDrop({1, 2, 3, 4, 5});
  EXPECT_THAT(Find({1, 2, 3, 4, 9}), ElementsAre(0, 1));
  EXPECT_THAT(Find({1, 2, 3, 9, 5, 6}), ElementsAre(0));
  EXPECT_THAT(Find({1, 2, 3}), ElementsAre(0));
  EXPECT_THAT(Find({1}), IsEmpty());
  EXPECT_THAT(Find({3, 4}), IsEmpty());  // Not after nothing.
}

TEST_F(PrefixTreeTest, FindsNoMoreThanItMay) {
  WriteAndDrop({1, 2, 3, 4});
  EXPECT_THAT(Find({1, 2, 3, 4}, /*max_blocks=*/1), ElementsAre(0));
  EXPECT_THAT(Find({1, 2, 3, 4}, /*max_blocks=*/0), IsEmpty());
}

TEST_F(PrefixTreeTest, FindsBlocksInUseAndCachedOnes) {
  std::vector<BlockRef> blocks = Write({1, 2, 3, 4});
  blocks.pop_back();
  EXPECT_THAT(Find({1, 2, 3, 4}), ElementsAre(0, 1));
  EXPECT_EQ(pool_.num_active(), 1u);
  EXPECT_EQ(pool_.num_cached(), 1u);
}

TEST_F(PrefixTreeTest, PathsBranch) {
  WriteAndDrop({1, 2, 3, 4});
  WriteAndDrop({1, 2, 5, 6});
  EXPECT_THAT(Find({1, 2, 5, 6}), ElementsAre(0, 2));
  EXPECT_EQ(tree_.num_nodes(), 3u);
}

TEST_F(PrefixTreeTest, ADuplicateGivesWayToTheNodeThatIsThere) {
  std::vector<BlockRef> first = Write({1, 2, 3, 4});
  std::vector<BlockRef> second = Write({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(second[0].id(), first[0].id());
  EXPECT_EQ(second[1].id(), first[1].id());
  EXPECT_EQ(pool_.num_active(), 3u);
  Drop(first);
  Drop(second);
  EXPECT_THAT(Find({1, 2, 3, 4, 5, 6}), ElementsAre(0, 1, 2));
}

TEST_F(PrefixTreeTest, LeavesAreEvictedFirstAndTheLeastRecentlyUsed) {
  WriteAndDrop({1, 2, 3, 4});  // Blocks 0 and 1.
  WriteAndDrop({7, 8});        // Block 2.
  std::vector<BlockRef> taken;
  for (int i = 0; i < 4; ++i) taken.push_back(*pool_.Allocate());
  EXPECT_THAT(Find({1, 2, 3, 4}), ElementsAre(0));
  EXPECT_THAT(Find({7, 8}), ElementsAre(2));
  taken.push_back(*pool_.Allocate());
  EXPECT_THAT(Find({1, 2, 3, 4}), IsEmpty());
  EXPECT_THAT(Find({7, 8}), ElementsAre(2));
}

TEST_F(PrefixTreeTest, UsingAPathAgainKeepsItLonger) {
  WriteAndDrop({1, 2});
  WriteAndDrop({7, 8});
  { const BlockRef used = pool_.Revive(BlockId(0)); }
  std::vector<BlockRef> taken;
  for (int i = 0; i < 5; ++i) taken.push_back(*pool_.Allocate());
  EXPECT_THAT(Find({1, 2}), ElementsAre(0));
  EXPECT_THAT(Find({7, 8}), IsEmpty());
}

TEST_F(PrefixTreeTest, WhatIsBelowAnEvictedNodeIsForgottenAndUnharmed) {
  std::vector<BlockRef> path = Write({1, 2, 3, 4, 5, 6});  // Blocks 0, 1, 2.
  path.erase(path.begin());  // As of a fork that has an equal block there.
  std::vector<BlockRef> taken;
  for (int i = 0; i < 4; ++i) taken.push_back(*pool_.Allocate());
  EXPECT_EQ(tree_.num_nodes(), 0u);
  EXPECT_EQ(pool_.ref_count(BlockId(2)), 1u);
  Drop(path);
  EXPECT_EQ(pool_.num_free(), 2u);
}

TEST_F(PrefixTreeTest, SpacesShareNothing) {
  WriteAndDrop({1, 2, 3, 4}, "a");
  EXPECT_THAT(Find({1, 2, 3, 4}, 99, "b"), IsEmpty());
  EXPECT_THAT(Find({1, 2, 3, 4}, 99, ""), IsEmpty());
  WriteAndDrop({1, 2}, "b");
  EXPECT_THAT(Find({1, 2}, 99, "a"), ElementsAre(0));
  EXPECT_THAT(Find({1, 2}, 99, "b"), ElementsAre(2));
}

TEST_F(PrefixTreeTest, ManyNamesOfNothingAreForgottenAndNeverMixedUp) {
  WriteAndDrop({1, 2}, "kept");
  const KeySpace early = tree_.SpaceOf("early");
  for (int i = 0; i < 5000; ++i) tree_.SpaceOf(std::to_string(i));
  EXPECT_THAT(Find({1, 2}, 99, "kept"), ElementsAre(0));
  EXPECT_NE(tree_.SpaceOf("other"), early);
  EXPECT_NE(tree_.SpaceOf("early"), early);
}

TEST_F(PrefixTreeTest, ClearHarmsNoBlockInUse) {
  std::vector<BlockRef> used = Write({1, 2});
  WriteAndDrop({7, 8});
  tree_.Clear();
  EXPECT_EQ(pool_.num_active(), 1u);
  EXPECT_EQ(pool_.num_cached(), 0u);
  EXPECT_THAT(Find({1, 2}), IsEmpty());
  // What follows a block that is no node cannot be found either.
  const BlockRef next = *pool_.Allocate();
  EXPECT_FALSE(tree_
                   .Publish(tree_.SpaceOf(""), used[0].id(),
                            std::vector<Token>{3, 4}, next.id())
                   .has_value());
}

TEST(CollidingTreeTest, TokensDecideWhateverTheHash) {
  BlockPool pool(8);
  PrefixTree tree(&pool, /*block_size=*/2, &ConstantHash);
  const KeySpace space = tree.SpaceOf("");
  const std::vector<Token> first = {1, 2};
  const std::vector<Token> second = {3, 4};
  const BlockRef a = *pool.Allocate();
  const BlockRef b = *pool.Allocate();
  EXPECT_EQ(tree.Publish(space, std::nullopt, first, a.id()), a.id());
  EXPECT_TRUE(tree.Find(space, second, 9).empty());
  EXPECT_EQ(tree.Publish(space, std::nullopt, second, b.id()), b.id());
  EXPECT_EQ(tree.Find(space, second, 9), std::vector<BlockId>{b.id()});
  EXPECT_TRUE(tree.Find(tree.SpaceOf("x"), first, 9).empty());
}

}  // namespace
}  // namespace quire
