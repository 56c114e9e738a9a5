#ifndef QUIRE_WORKER_EXECUTOR_BLOCK_MARKS_H_
#define QUIRE_WORKER_EXECUTOR_BLOCK_MARKS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/ids.h"

namespace quire {

// A set of blocks that is emptied in constant time and allocates nothing: each
// block remembers the round that marked it last. `BlockType` is the type of
// their ids.
template <typename BlockType>
class MarksOf {
 public:
  explicit MarksOf(size_t num_blocks) : rounds_(num_blocks, 0) {}

  void Clear() { ++round_; }
  // REQUIRES, here and below: block < num_blocks.
  bool Contains(BlockType block) const {
    return rounds_[block.value()] == round_;
  }
  // False: it was marked already.
  bool Mark(BlockType block) {
    if (Contains(block)) return false;
    rounds_[block.value()] = round_;
    return true;
  }

 private:
  std::vector<uint64_t> rounds_;  // [num_blocks]
  uint64_t round_ = 1;
};

using BlockMarks = MarksOf<BlockId>;

}  // namespace quire

#endif  // QUIRE_WORKER_EXECUTOR_BLOCK_MARKS_H_
