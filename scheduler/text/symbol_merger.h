#ifndef QUIRE_SCHEDULER_TEXT_SYMBOL_MERGER_H_
#define QUIRE_SCHEDULER_TEXT_SYMBOL_MERGER_H_

#include <cstdint>
#include <vector>

#include "scheduler/text/merge_table.h"

namespace quire {

// A piece of a word while it is being merged.
struct Symbol {
  static constexpr int32_t kUnknown =
      -1;  // Stands for no symbol, merges with nothing.
  int32_t id = kUnknown;
  uint32_t begin = 0;  // Its first byte within the word.
};

// Byte pair encoding (Sennrich et al., 2016): the neighbours whose merge ranks
// lowest become one symbol, the leftmost such pair first, until no neighbours
// merge. O(n log n). Keeps its buffers from word to word, so one thread uses
// one. Does not own the table.
class SymbolMerger {
 public:
  explicit SymbolMerger(const MergeTable* table) : table_(table) {}

  // Merges within `symbols`, in place. REQUIRES: fewer than 2^32 - 1 symbols.
  void Merge(std::vector<Symbol>* symbols);

 private:
  // The merge of the symbol at an index with its right neighbour.
  struct Pair {
    uint32_t rank = kNone;
    int32_t result = Symbol::kUnknown;
  };
  static constexpr uint32_t kNone = 0xFFFFFFFF;

  Pair LookUp(int32_t left, int32_t right) const;
  void MergeShort(std::vector<Symbol>* symbols);
  void MergeLong(std::vector<Symbol>* symbols);
  void LinkAll(const std::vector<Symbol>& symbols);
  void Refresh(const std::vector<Symbol>& symbols, uint32_t index);
  void Join(std::vector<Symbol>* symbols, uint32_t index);

  const MergeTable* table_;
  std::vector<Pair> pairs_;  // By index of the left symbol.
  // Of the long way only: the neighbours that are left, and the pairs as (rank,
  // index) in a heap, lowest first. An entry is stale where pairs_ has another
  // rank by now.
  std::vector<uint32_t> previous_;
  std::vector<uint32_t> next_;
  std::vector<uint64_t> heap_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_SYMBOL_MERGER_H_
