// Random sequences that fork, grow, shrink, leave, and find each other's
// blocks, on a pool that is always too small. A naive memory holds for each
// slot what was written there: nobody may ever read anything but the prefix
// that is its own, wherever it lies and whoever wrote it.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "scheduler/memory/block_ledger.h"
#include "scheduler/memory/block_pool.h"
#include "scheduler/memory/block_table.h"
#include "scheduler/memory/prefix_tree.h"

namespace quire {
namespace {

constexpr uint32_t kNumBlocks = 24;
constexpr uint32_t kBlockSize = 3;
constexpr size_t kMaxSequences = 8;

class SharingRandomTest : public testing::TestWithParam<uint64_t> {
 protected:
  struct Sequence {
    BlockTable table;
    std::vector<Token> tokens;       // [table.num_slots()]
    std::vector<uint64_t> prefixes;  // [table.num_slots()]: what slot i holds.
    KeySpace space = 0;
    uint32_t num_published = 0;

    explicit Sequence(BlockPool* pool) : table(pool, kBlockSize) {}
  };

  uint32_t Draw(uint32_t low, uint32_t high) {
    return std::uniform_int_distribution<uint32_t>(low, high)(random_);
  }
  // Few tokens, so that many sequences begin alike.
  Token DrawToken() { return static_cast<Token>(Draw(1, 2)); }

  static uint64_t Extend(uint64_t prefix, Token token) {
    return (prefix + static_cast<uint64_t>(token)) * 0x9e3779b97f4a7c15;
  }
  uint64_t& Slot(const BlockTable& table, uint32_t slot) {
    const uint32_t block = table.blocks()[slot / kBlockSize].id().value();
    return memory_[block * kBlockSize + slot % kBlockSize];
  }
  static void AddToken(Sequence& sequence, Token token) {
    const uint64_t before =
        sequence.prefixes.empty() ? sequence.space : sequence.prefixes.back();
    sequence.tokens.push_back(token);
    sequence.prefixes.push_back(Extend(before, token));
  }

  // Of the sequence that reads, whatever it finds, then grows.
  void Start() {
    if (sequences_.size() == kMaxSequences) return;
    auto sequence = std::make_unique<Sequence>(&pool_);
    sequence->space = tree_.SpaceOf(Draw(0, 3) == 0 ? "other" : "");
    std::vector<Token> prompt;
    for (uint32_t i = Draw(1, 20); i > 0; --i) prompt.push_back(DrawToken());
    for (const BlockId block :
         tree_.Find(sequence->space, prompt, Draw(0, 9))) {
      sequence->table.AppendShared(pool_.Revive(block), kBlockSize);
    }
    const uint32_t found = sequence->table.num_slots();
    num_found_ += found;
    for (uint32_t i = 0; i < found; ++i) AddToken(*sequence, prompt[i]);
    sequence->num_published = found / kBlockSize;
    sequences_.push_back(std::move(sequence));
  }

  void Grow(Sequence& sequence) {
    const uint32_t count = Draw(1, 7);
    const uint32_t begin = sequence.table.num_slots();
    if (!sequence.table.Reserve(begin + count)) return;
    MakeCopy(sequence);
    sequence.table.Append(count);
    for (uint32_t i = begin; i < begin + count; ++i) {
      AddToken(sequence, DrawToken());
      Slot(sequence.table, i) = sequence.prefixes[i];
    }
  }

  void MakeCopy(Sequence& sequence) {
    const std::optional<CopyOnWrite> copy = sequence.table.TakeCopy();
    if (!copy.has_value()) return;
    ++num_copies_;
    for (uint32_t i = 0; i < copy->num_slots; ++i) {
      memory_[copy->destination.value() * kBlockSize + i] =
          memory_[copy->source.id().value() * kBlockSize + i];
    }
  }

  void Fork(const Sequence& parent) {
    if (sequences_.size() == kMaxSequences || parent.table.copy() != nullptr) {
      return;
    }
    auto child = std::make_unique<Sequence>(&pool_);
    child->space = parent.space;
    if (Draw(0, 1) == 0 && !child->table.Reserve(kBlockSize)) return;
    const uint32_t num_slots = Draw(0, parent.table.num_slots());
    child->table.Fork(parent.table, num_slots);
    for (uint32_t i = 0; i < num_slots; ++i) {
      AddToken(*child, parent.tokens[i]);
    }
    // What it had reserved takes the place of a shared block at once.
    MakeCopy(*child);
    sequences_.push_back(std::move(child));
  }

  // Out to host memory and back, to other blocks where it can have them.
  void Swap(Sequence& sequence) {
    const uint32_t num_slots = sequence.table.num_slots();
    std::vector<std::vector<uint64_t>> host;
    for (uint32_t i = 0; i * kBlockSize < num_slots; ++i) {
      const auto first =
          memory_.begin() + sequence.table.ContentOf(i).value() * kBlockSize;
      host.emplace_back(first, first + kBlockSize);
    }
    sequence.table.Release();
    sequence.num_published = 0;
    for (const std::vector<uint64_t>& content : host) {
      const uint32_t left = num_slots - sequence.table.num_slots();
      std::optional<BlockRef> block = pool_.Allocate();
      if (!block.has_value()) break;
      std::ranges::copy(content,
                        memory_.begin() + block->id().value() * kBlockSize);
      sequence.table.AppendShared(*std::move(block),
                                  std::min(left, kBlockSize));
    }
    sequence.tokens.resize(sequence.table.num_slots());
    sequence.prefixes.resize(sequence.table.num_slots());
    ++num_swaps_;
  }

  void Truncate(Sequence& sequence) {
    const uint32_t num_slots = Draw(0, sequence.table.num_slots());
    sequence.table.Truncate(num_slots);
    sequence.tokens.resize(num_slots);
    sequence.prefixes.resize(num_slots);
    sequence.num_published =
        std::min(sequence.num_published, num_slots / kBlockSize);
  }

  void Publish(Sequence& sequence) {
    while ((sequence.num_published + 1) * kBlockSize <=
           sequence.table.num_slots()) {
      const uint32_t i = sequence.num_published;
      std::optional<BlockId> parent;
      if (i > 0) parent = sequence.table.blocks()[i - 1].id();
      const BlockId own = sequence.table.blocks()[i].id();
      const std::optional<BlockId> node = tree_.Publish(
          sequence.space, parent,
          std::span(sequence.tokens).subspan(i * kBlockSize, kBlockSize), own);
      if (!node.has_value()) return;
      if (*node != own) sequence.table.Replace(i, pool_.Revive(*node));
      ++sequence.num_published;
    }
  }

  void MoveOnce() {
    if (Draw(0, 2000) == 0) return tree_.Clear();
    if (sequences_.empty() || Draw(0, 9) == 0) return Start();
    const size_t i = Draw(0, static_cast<uint32_t>(sequences_.size()) - 1);
    switch (Draw(0, 9)) {
      case 0:
        return Fork(*sequences_[i]);
      case 1:
        return Truncate(*sequences_[i]);
      case 2:
        sequences_.erase(sequences_.begin() + static_cast<ptrdiff_t>(i));
        return;
      case 3:
        return Swap(*sequences_[i]);
      case 4:
      case 5:
        return Publish(*sequences_[i]);
      default:
        return Grow(*sequences_[i]);
    }
  }

  void CheckEverything() {
    std::vector<const BlockTable*> tables;
    for (const auto& sequence : sequences_) {
      tables.push_back(&sequence->table);
      for (uint32_t i = 0; i < sequence->table.num_slots(); ++i) {
        ASSERT_EQ(Slot(sequence->table, i), sequence->prefixes[i]);
      }
    }
    ASSERT_EQ(std::string(CheckReferences(pool_, tables).message()), "");
    ASSERT_EQ(std::string(pool_.CheckConsistency().message()), "");
    ASSERT_EQ(std::string(tree_.CheckConsistency().message()), "");
  }

  std::mt19937_64 random_{GetParam() + 1};
  BlockPool pool_{kNumBlocks, GetParam()};
  PrefixTree tree_{&pool_, kBlockSize};
  std::vector<uint64_t> memory_ =
      std::vector<uint64_t>(size_t{kNumBlocks} * kBlockSize, 0);
  std::vector<std::unique_ptr<Sequence>> sequences_;
  uint64_t num_found_ = 0;
  uint64_t num_copies_ = 0;
  uint64_t num_swaps_ = 0;
};

TEST_P(SharingRandomTest, EachReadsItsOwnPrefix) {
  for (int i = 0; i < 125'000; ++i) {
    MoveOnce();
    CheckEverything();
    if (HasFatalFailure()) FAIL() << "operation " << i;
  }
  EXPECT_GT(num_found_, 1000u);
  EXPECT_GT(num_copies_, 1000u);
  EXPECT_GT(num_swaps_, 1000u);
  EXPECT_GT(pool_.TakeNumEvictions(), 1000u);
  sequences_.clear();
  EXPECT_EQ(pool_.num_available(), kNumBlocks);
}

INSTANTIATE_TEST_SUITE_P(Seeds, SharingRandomTest,
                         testing::Range<uint64_t>(0, 8));

}  // namespace
}  // namespace quire
