#ifndef QUIRE_WORKER_EXECUTOR_COPY_READER_H_
#define QUIRE_WORKER_EXECUTOR_COPY_READER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "quire/worker/v1/plan.pb.h"
#include "worker/executor/block_marks.h"
#include "worker/executor/written_slots.h"
#include "worker/model/batch.h"

namespace quire {

// Turns a plan's block copies into those of the model, checked. Its buffers are
// reused from step to step. Not thread-safe.
class CopyReader {
 public:
  CopyReader(int block_size, uint32_t num_blocks);

  // INVALID_ARGUMENT: arrays of different lengths, a block or a number of slots
  // out of range, slots that were not written, two copies to one block, or a
  // block that is both source and destination, so that the order of copies
  // would matter. Notes in `written` what the copies will write.
  absl::Status Read(const worker::v1::BlockCopies& copies,
                    WrittenSlots* written);

  // Of the last Read that was ok.
  std::span<const BlockCopy> copies() const { return copies_; }

 private:
  absl::Status ReadOne(const BlockCopy& copy, WrittenSlots* written);

  const int block_size_;
  const uint32_t num_blocks_;
  BlockMarks sources_;
  BlockMarks destinations_;
  std::vector<BlockCopy> copies_;
};

}  // namespace quire

#endif  // QUIRE_WORKER_EXECUTOR_COPY_READER_H_
