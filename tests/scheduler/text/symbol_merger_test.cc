#include "scheduler/text/symbol_merger.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>
#include <vector>

namespace quire {
namespace {

// The definition, word for word: find the lowest rank, leftmost; join; again.
std::vector<int32_t> MergeNaively(const MergeTable& table,
                                  std::vector<int32_t> ids) {
  while (true) {
    const MergeTable::Merge* best = nullptr;
    size_t where = 0;
    for (size_t i = 0; i + 1 < ids.size(); ++i) {
      const auto* merge = table.Find(ids[i], ids[i + 1]);
      if (merge == nullptr || (best != nullptr && merge->rank >= best->rank))
        continue;
      best = merge;
      where = i;
    }
    if (best == nullptr) return ids;
    ids[where] = best->result;
    ids.erase(ids.begin() + where + 1);
  }
}

std::vector<Symbol> ToSymbols(const std::vector<int32_t>& ids) {
  std::vector<Symbol> symbols;
  for (const int32_t id : ids)
    symbols.push_back({id, static_cast<uint32_t>(symbols.size())});
  return symbols;
}

std::vector<int32_t> IdsOf(const std::vector<Symbol>& symbols) {
  std::vector<int32_t> ids;
  for (const Symbol& symbol : symbols) ids.push_back(symbol.id);
  return ids;
}

// Some of the letters' pairs, pairs of those and so on become symbols; several
// merges share a rank.
MergeTable RandomTable(std::mt19937& random, int num_letters) {
  MergeTable table;
  int32_t next = num_letters;
  for (int i = 0; i < 60; ++i) {
    const auto left = static_cast<int32_t>(random() % next);
    const auto right = static_cast<int32_t>(random() % next);
    if (table.Find(left, right) != nullptr) continue;
    table.Add(left, right, {static_cast<uint32_t>(random() % 30), next++});
  }
  return table;
}

TEST(SymbolMergerTest, AgreesWithTheDefinitionOnRandomWords) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    const int num_letters = 1 + static_cast<int>(random() % 4);
    const MergeTable table = RandomTable(random, num_letters);
    std::vector<int32_t> ids(random() % (round % 2 == 0 ? 40 : 200));
    for (int32_t& id : ids) {
      id = random() % 20 == 0 ? Symbol::kUnknown
                              : static_cast<int32_t>(random() % num_letters);
    }
    std::vector<Symbol> symbols = ToSymbols(ids);
    SymbolMerger(&table).Merge(&symbols);
    ASSERT_EQ(IdsOf(symbols), MergeNaively(table, ids)) << "round " << round;
  }
}

TEST(SymbolMergerTest, SymbolsKeepWhereTheyBegin) {
  MergeTable table;
  table.Add(0, 1, {0, 2});
  std::vector<Symbol> symbols = ToSymbols({0, 1, 1, 0, 1});
  SymbolMerger(&table).Merge(&symbols);
  ASSERT_EQ(IdsOf(symbols), (std::vector<int32_t>{2, 1, 2}));
  EXPECT_EQ(symbols[1].begin, 2u);
  EXPECT_EQ(symbols[2].begin, 3u);
}

TEST(SymbolMergerTest, EqualRanksGoFromLeftToRight) {
  MergeTable table;
  table.Add(0, 0, {0, 1});
  for (const size_t length : {3, 101}) {
    std::vector<Symbol> symbols(length, Symbol{0});
    SymbolMerger(&table).Merge(&symbols);
    ASSERT_EQ(symbols.size(), length / 2 + 1);
    EXPECT_EQ(symbols.front().id, 1);
    EXPECT_EQ(symbols.back().id, 0);
  }
}

TEST(SymbolMergerTest, TheFirstOfTwoEqualPairsStays) {
  MergeTable table;
  table.Add(0, 1, {3, 2});
  table.Add(0, 1, {1, 5});
  ASSERT_NE(table.Find(0, 1), nullptr);
  EXPECT_EQ(table.Find(0, 1)->result, 2);
  EXPECT_EQ(table.Find(1, 0), nullptr);
}

TEST(SymbolMergerTest, AMillionEqualSymbolsAreMergedInLittleTime) {
  MergeTable table;
  for (int32_t id = 0; id < 10; ++id)
    table.Add(id, id, {static_cast<uint32_t>(id), id + 1});
  std::vector<Symbol> symbols(1 << 20, Symbol{0});
  SymbolMerger(&table).Merge(&symbols);
  EXPECT_EQ(IdsOf(symbols), std::vector<int32_t>((1 << 20) / 1024, 10));
}

}  // namespace
}  // namespace quire
