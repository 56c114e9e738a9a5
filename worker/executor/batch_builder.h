#ifndef QUIRE_WORKER_EXECUTOR_BATCH_BUILDER_H_
#define QUIRE_WORKER_EXECUTOR_BATCH_BUILDER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "common/ids.h"
#include "quire/worker/v1/plan.pb.h"
#include "worker/executor/block_marks.h"
#include "worker/executor/logit_row.h"
#include "worker/executor/sequence_store.h"
#include "worker/executor/written_slots.h"
#include "worker/model/batch.h"

namespace quire {

// Turns a plan's runs into the model's batch. Buffers are reused from step to
// step: once they have grown nothing is allocated. Not thread-safe.
class BatchBuilder {
 public:
  struct Limits {
    int block_size = 0;
    uint32_t num_blocks = 0;
    int max_rows = 0;
    int64_t context_length = 0;
    int64_t vocabulary_size = 0;
  };

  explicit BatchBuilder(const Limits& limits);

  // INVALID_ARGUMENT, naming the sequence: arrays of different lengths, a
  // sequence that is not held or has two runs, a flag that is neither 0 nor 1,
  // rows beyond the known tokens, the block table or the context, or behind
  // slots that were not written, a sampled token whose place is taken, drafts
  // that are not in the vocabulary, leave their run no other row or belong to a
  // sequence whose sampling looks at them, two sequences that write to one
  // block, one that writes to a full block which another reads, or more than
  // max_rows rows. Notes in `written` what the runs will write.
  absl::Status Build(StepId step, const worker::v1::Runs& runs,
                     SequenceStore* store, WrittenSlots* written);

  // Of the last Build that was ok.
  const Batch& batch() const { return batch_; }
  // One for each of batch().logit_rows. Valid until a sequence is released.
  std::span<const LogitRow> logit_rows() const { return logit_rows_; }

 private:
  // Consecutive rows of one sequence, as in worker.v1.Runs. 64 bits, so that
  // sums of a peer's numbers do not wrap around.
  struct Run {
    StoredSequence* sequence = nullptr;
    int64_t slot = 0;
    int64_t position = 0;
    int64_t num_rows = 0;
    bool samples = false;
    bool prompt_logprobs = false;
    std::span<const Token> drafts;  // Which its last rows read.

    int64_t end() const { return position + num_rows; }
    // Position behind the last row that is no draft.
    int64_t known_end() const {
      return end() - static_cast<int64_t>(drafts.size());
    }
  };

  absl::Status Check(const Run& run, const WrittenSlots& written) const;
  absl::Status CheckDrafts(const Run& run) const;
  // Marks the blocks that the run reads and those that it writes, and how far.
  absl::Status Claim(const Run& run, WrittenSlots* written);
  void Add(const Run& run);
  void AddLogitRows(const Run& run, int first_row);

  const Limits limits_;
  BlockMarks claimed_;
  BlockMarks read_;  // To their end, by runs that begin behind them.
  Batch batch_;
  std::vector<LogitRow> logit_rows_;
};

}  // namespace quire

#endif  // QUIRE_WORKER_EXECUTOR_BATCH_BUILDER_H_
