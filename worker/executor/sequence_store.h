#ifndef QUIRE_WORKER_EXECUTOR_SEQUENCE_STORE_H_
#define QUIRE_WORKER_EXECUTOR_SEQUENCE_STORE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/ids.h"
#include "quire/worker/v1/plan.pb.h"
#include "worker/executor/block_marks.h"
#include "worker/sampler/token_history.h"

namespace quire {

// A sequence as its rank knows it.
struct StoredSequence {
  SequenceId id;
  TokenHistory history;
  std::vector<BlockId> blocks;  // Logical block i -> block id.
  StepId last_step;             // The last that has rows of it.
};

// The sequences of one epoch, kept up to date by the differences that plans
// bring. A plan is a peer's input: one that makes no sense is refused with a
// status that names the ids, and nothing out of range is ever stored. Not
// thread-safe.
class SequenceStore {
 public:
  struct Limits {
    int64_t vocabulary_size = 0;
    int64_t context_length = 0;  // Tokens of one sequence.
    uint32_t num_blocks = 0;     // Block ids are below; also the longest table.
  };

  explicit SequenceStore(const Limits& limits)
      : limits_(limits), in_table_(limits.num_blocks) {}

  // Applies forks, releases, new sequences and table edits, in this order.
  // INVALID_ARGUMENT at the first that does not fit; those before it stay
  // applied, so the store is of no use to later plans then.
  absl::Status Apply(const worker::v1::StepPlan& plan);

  // Null: not held. Valid until the sequence is released.
  StoredSequence* Find(SequenceId id);

  size_t size() const { return sequences_.size(); }

 private:
  absl::Status AddForks(const worker::v1::StepPlan& plan);
  // The child, which the store does not hold yet.
  absl::StatusOr<std::unique_ptr<StoredSequence>> MakeChild(
      const worker::v1::Fork& fork) const;
  absl::Status Release(const worker::v1::StepPlan& plan);
  absl::Status Add(const worker::v1::NewSequence& sequence);
  absl::Status EditTables(const worker::v1::TableEdits& edits);
  absl::Status CheckNew(const worker::v1::NewSequence& sequence) const;
  // Whether a sequence may have `num_tokens` tokens, and `tokens` among them.
  absl::Status CheckTokens(uint64_t sequence, int64_t num_tokens,
                           std::span<const Token> tokens) const;
  // Appends `count` block ids to the table of a sequence, which names no block
  // twice.
  absl::Status AppendBlocks(const uint32_t* blocks, size_t count,
                            StoredSequence* sequence);

  const Limits limits_;
  BlockMarks in_table_;  // Of the sequence whose table grows.
  absl::flat_hash_map<SequenceId, std::unique_ptr<StoredSequence>> sequences_;
};

}  // namespace quire

#endif  // QUIRE_WORKER_EXECUTOR_SEQUENCE_STORE_H_
