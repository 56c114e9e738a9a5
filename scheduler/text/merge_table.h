#ifndef QUIRE_SCHEDULER_TEXT_MERGE_TABLE_H_
#define QUIRE_SCHEDULER_TEXT_MERGE_TABLE_H_

#include <cstdint>

#include "absl/container/flat_hash_map.h"

namespace quire {

// Which two neighbouring symbols become which one, and how early. Symbols are
// token ids, and above those numbers for characters that are no token by
// themselves. Immutable once filled; then thread-safe.
class MergeTable {
 public:
  struct Merge {
    uint32_t rank;   // Lower ranks go first; equal ranks from left to right.
    int32_t result;  // The symbol that the two become.
  };

  // Where the pair is already there, the first merge stays.
  void Add(int32_t left, int32_t right, Merge merge) {
    merges_.try_emplace(Key(left, right), merge);
  }

  // Null: the two do not merge.
  const Merge* Find(int32_t left, int32_t right) const {
    const auto found = merges_.find(Key(left, right));
    return found == merges_.end() ? nullptr : &found->second;
  }

 private:
  static uint64_t Key(int32_t left, int32_t right) {
    return static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32 |
           static_cast<uint32_t>(right);
  }

  absl::flat_hash_map<uint64_t, Merge> merges_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_MERGE_TABLE_H_
