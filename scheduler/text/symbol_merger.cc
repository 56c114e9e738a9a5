#include "scheduler/text/symbol_merger.h"

#include <algorithm>
#include <functional>

namespace quire {
namespace {

// Up to this many symbols, looking at every pair for each merge beats a heap.
constexpr size_t kMaxShort = 48;

}  // namespace

SymbolMerger::Pair SymbolMerger::LookUp(int32_t left, int32_t right) const {
  if (left == Symbol::kUnknown || right == Symbol::kUnknown) return {};
  const MergeTable::Merge* merge = table_->Find(left, right);
  return merge == nullptr ? Pair{} : Pair{merge->rank, merge->result};
}

void SymbolMerger::Merge(std::vector<Symbol>* symbols) {
  if (symbols->size() < 2) return;
  if (symbols->size() <= kMaxShort) {
    MergeShort(symbols);
  } else {
    MergeLong(symbols);
  }
}

void SymbolMerger::MergeShort(std::vector<Symbol>* symbols) {
  auto& s = *symbols;
  pairs_.clear();
  for (size_t i = 0; i + 1 < s.size(); ++i)
    pairs_.push_back(LookUp(s[i].id, s[i + 1].id));
  while (!pairs_.empty()) {
    const auto best = std::min_element(
        pairs_.begin(), pairs_.end(),
        [](const Pair& a, const Pair& b) { return a.rank < b.rank; });
    if (best->rank == kNone) return;
    const size_t i = best - pairs_.begin();
    s[i].id = best->result;
    s.erase(s.begin() + i + 1);
    pairs_.erase(best);
    if (i < pairs_.size()) pairs_[i] = LookUp(s[i].id, s[i + 1].id);
    if (i > 0) pairs_[i - 1] = LookUp(s[i - 1].id, s[i].id);
  }
}

void SymbolMerger::MergeLong(std::vector<Symbol>* symbols) {
  LinkAll(*symbols);
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const uint64_t entry = heap_.back();
    heap_.pop_back();
    const auto index = static_cast<uint32_t>(entry);
    if (pairs_[index].rank == entry >> 32) Join(symbols, index);
  }
  size_t kept = 0;
  for (uint32_t i = 0; i != kNone; i = next_[i])
    (*symbols)[kept++] = (*symbols)[i];
  symbols->resize(kept);
}

void SymbolMerger::LinkAll(const std::vector<Symbol>& symbols) {
  const auto size = static_cast<uint32_t>(symbols.size());
  pairs_.assign(size, Pair{});
  previous_.resize(size);
  next_.resize(size);
  heap_.clear();
  for (uint32_t i = 0; i < size; ++i) {
    previous_[i] = i == 0 ? kNone : i - 1;
    next_[i] = i + 1 == size ? kNone : i + 1;
    if (next_[i] == kNone) break;
    pairs_[i] = LookUp(symbols[i].id, symbols[i + 1].id);
    if (pairs_[i].rank != kNone)
      heap_.push_back(uint64_t{pairs_[i].rank} << 32 | i);
  }
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
}

// Looks the pair that begins at `index` up again, after one of its symbols has
// changed.
void SymbolMerger::Refresh(const std::vector<Symbol>& symbols, uint32_t index) {
  pairs_[index] = next_[index] == kNone
                      ? Pair{}
                      : LookUp(symbols[index].id, symbols[next_[index]].id);
  if (pairs_[index].rank == kNone) return;
  heap_.push_back(uint64_t{pairs_[index].rank} << 32 | index);
  std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
}

void SymbolMerger::Join(std::vector<Symbol>* symbols, uint32_t index) {
  const uint32_t gone = next_[index];
  (*symbols)[index].id = pairs_[index].result;
  pairs_[gone] = Pair{};
  next_[index] = next_[gone];
  if (next_[index] != kNone) previous_[next_[index]] = index;
  Refresh(*symbols, index);
  if (previous_[index] != kNone) Refresh(*symbols, previous_[index]);
}

}  // namespace quire
