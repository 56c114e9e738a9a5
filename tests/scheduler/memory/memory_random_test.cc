// Random operations on a pool and tables, held against a naive model: plain
// vectors of block ids, of which only the rules of the contract are known.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "scheduler/memory/block_ledger.h"
#include "scheduler/memory/block_pool.h"
#include "scheduler/memory/block_table.h"

namespace quire {
namespace {

constexpr uint32_t kNumBlocks = 24;
constexpr uint32_t kBlockSize = 3;
constexpr int kNumTables = 5;

class MemoryRandomTest : public testing::TestWithParam<uint64_t> {
 protected:
  // A table as its contract describes it.
  struct Naive {
    std::vector<uint32_t> blocks;
    uint32_t num_slots = 0;
    std::vector<uint32_t> told;  // The reader's copy, made from edits alone.
  };

  MemoryRandomTest() : pool_(kNumBlocks, GetParam()), random_(GetParam()) {
    for (int i = 0; i < kNumTables; ++i)
      tables_.emplace_back(&pool_, kBlockSize);
    naive_.resize(kNumTables);
  }

  uint32_t Draw(uint32_t low, uint32_t high) {
    return std::uniform_int_distribution<uint32_t>(low, high)(random_);
  }

  static std::vector<uint32_t> Ids(std::span<const BlockRef> blocks) {
    std::vector<uint32_t> ids;
    for (const BlockRef& block : blocks) ids.push_back(block.id().value());
    return ids;
  }

  uint32_t NaiveFree() const {
    std::set<uint32_t> held;
    for (const BlockRef& stray : strays_) held.insert(stray.id().value());
    for (const Naive& naive : naive_) {
      held.insert(naive.blocks.begin(), naive.blocks.end());
    }
    return kNumBlocks - static_cast<uint32_t>(held.size());
  }

  void Reserve(BlockTable& table, Naive& naive) {
    const uint32_t wanted = Draw(0, 30);
    const uint32_t blocks = (wanted + kBlockSize - 1) / kBlockSize;
    const size_t before = naive.blocks.size();
    const bool fits = blocks <= before + NaiveFree();
    ASSERT_EQ(table.Reserve(wanted), fits);
    const std::vector<uint32_t> now = Ids(table.blocks());
    ASSERT_EQ(now.size(), fits ? std::max<size_t>(before, blocks) : before);
    ASSERT_TRUE(
        std::equal(naive.blocks.begin(), naive.blocks.end(), now.begin()));
    naive.blocks = now;  // Which blocks came is the pool's choice.
  }

  void Append(BlockTable& table, Naive& naive) {
    const uint32_t room = naive.blocks.size() * kBlockSize - naive.num_slots;
    const uint32_t count = Draw(0, room);
    table.Append(count);
    naive.num_slots += count;
  }

  void Truncate(BlockTable& table, Naive& naive) {
    naive.num_slots = Draw(0, naive.num_slots);
    table.Truncate(naive.num_slots);
    naive.blocks.resize((naive.num_slots + kBlockSize - 1) / kBlockSize);
  }

  void Tell(BlockTable& table, Naive& naive) {
    if (const std::optional<TableEdit> edit = table.TakeEdit()) {
      ASSERT_LE(edit->keep, naive.told.size());
      naive.told.resize(edit->keep);
      for (uint32_t id : Ids(edit->appended)) naive.told.push_back(id);
    }
    ASSERT_EQ(naive.told, naive.blocks);
  }

  // References outside tables come, multiply and go.
  void MoveStray() {
    const uint32_t choice = strays_.empty() ? 2 : Draw(0, 3);
    if (choice == 0) {
      strays_.push_back(strays_[Draw(0, strays_.size() - 1)].Share());
    } else if (choice == 1 || strays_.size() > 8) {
      strays_.erase(strays_.begin() + Draw(0, strays_.size() - 1));
    } else if (std::optional<BlockRef> block = pool_.Allocate()) {
      strays_.push_back(*std::move(block));
    }
  }

  void MoveOnce() {
    const uint32_t i = Draw(0, kNumTables - 1);
    switch (Draw(0, 6)) {
      case 0:
      case 1:
        return Reserve(tables_[i], naive_[i]);
      case 2:
        return Append(tables_[i], naive_[i]);
      case 3:
        return Truncate(tables_[i], naive_[i]);
      case 4:
        return Tell(tables_[i], naive_[i]);
      case 5:
        tables_[i].Release();
        naive_[i].blocks.clear();
        naive_[i].num_slots = 0;
        return;
      default:
        return MoveStray();
    }
  }

  void CheckEverything() {
    ASSERT_TRUE(pool_.CheckConsistency().ok());
    ASSERT_EQ(pool_.num_free(), NaiveFree());
    std::map<uint32_t, uint32_t> references;
    for (int i = 0; i < kNumTables; ++i) {
      ASSERT_EQ(Ids(tables_[i].blocks()), naive_[i].blocks);
      ASSERT_EQ(tables_[i].num_slots(), naive_[i].num_slots);
      for (uint32_t id : naive_[i].blocks) ++references[id];
    }
    for (const BlockRef& stray : strays_) ++references[stray.id().value()];
    for (uint32_t id = 0; id < kNumBlocks; ++id) {
      ASSERT_EQ(pool_.ref_count(BlockId(id)), references[id]);
    }
    if (!strays_.empty()) return;
    std::vector<const BlockTable*> all;
    for (const BlockTable& table : tables_) all.push_back(&table);
    ASSERT_TRUE(CheckReferences(pool_, all).ok());
  }

  BlockPool pool_;
  std::deque<BlockTable> tables_;
  std::vector<BlockRef> strays_;
  std::vector<Naive> naive_;
  std::mt19937_64 random_;
};

TEST_P(MemoryRandomTest, BehavesLikeTheNaiveModel) {
  for (int i = 0; i < 10'000; ++i) {
    SCOPED_TRACE(testing::Message() << "operation " << i);
    MoveOnce();
    CheckEverything();
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, MemoryRandomTest,
                         testing::Range<uint64_t>(0, 5));

}  // namespace
}  // namespace quire
