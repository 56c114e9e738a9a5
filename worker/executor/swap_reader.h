#ifndef QUIRE_WORKER_EXECUTOR_SWAP_READER_H_
#define QUIRE_WORKER_EXECUTOR_SWAP_READER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "quire/worker/v1/plan.pb.h"
#include "worker/executor/block_marks.h"
#include "worker/executor/written_slots.h"
#include "worker/model/batch.h"

namespace quire {

// Turns a plan's swaps into those of the model, checked, and remembers how far
// each host block is filled. Its buffers are reused from step to step. Not
// thread-safe.
class SwapReader {
 public:
  SwapReader(uint32_t num_blocks, uint32_t num_host_blocks);

  // INVALID_ARGUMENT, here and below: arrays of different lengths, or a block
  // or a host block that is out of range or named twice.
  absl::Status ReadOut(const worker::v1::Swaps& swaps,
                       const WrittenSlots& written);

  // Also INVALID_ARGUMENT: a host block to which nothing was swapped out. Notes
  // in `written` that blocks come back as far filled as they were.
  absl::Status ReadIn(const worker::v1::Swaps& swaps, WrittenSlots* written);

  // Of the last ReadOut and ReadIn that were ok.
  std::span<const BlockSwap> swaps_out() const { return swaps_out_; }
  std::span<const BlockSwap> swaps_in() const { return swaps_in_; }

 private:
  // Nothing was swapped out to a host block. An unwritten block may be, which
  // leaves 0 slots.
  static constexpr int kNothing = -1;

  void ClearMarks();
  absl::Status Check(const BlockSwap& swap);

  const uint32_t num_blocks_;
  BlockMarks blocks_;  // Named so far, in one direction; as those below.
  MarksOf<HostBlockId> host_blocks_;
  std::vector<int> held_slots_;  // [num_host_blocks]
  std::vector<BlockSwap> swaps_out_;
  std::vector<BlockSwap> swaps_in_;
};

}  // namespace quire

#endif  // QUIRE_WORKER_EXECUTOR_SWAP_READER_H_
