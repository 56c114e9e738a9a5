#ifndef QUIRE_WORKER_MODEL_ATTENTION_PLAN_H_
#define QUIRE_WORKER_MODEL_ATTENTION_PLAN_H_

#include <cstdint>
#include <span>
#include <vector>

#include "worker/model/batch.h"

namespace quire {

// Attention of some consecutive rows to one KV head, over a range of chunks:
// what one thread takes on at a time.
struct AttentionUnit {
  int run = 0;  // Of the first row.
  int kv_head = 0;
  int first_row = 0;  // Of the batch.
  int num_rows = 0;
  int first_chunk = 0;
  int last_chunk = 0;  // Not included; of the last row.
  // Where the rows belong to several runs: so many chunks from the first one on
  // lie in the same blocks for all of them, before any of their own slots.
  int num_shared_chunks = 0;
};

// The limits of a plan that do not change from step to step.
struct AttentionPlanOptions {
  int num_kv_heads = 1;
  int group = 1;  // Query heads of a KV head.
  int num_threads = 1;
};

// How the attention of a step is cut into units, each of its own rows, heads
// and chunks. Results do not depend on it:
//
//   whole   a unit covers all chunks of its rows. Neighbouring runs of few rows
//           that begin with the same blocks (samples, beams, prompts that begin
//           alike) are one unit, which brings each chunk of these into the
//           first-level cache once for all its rows;
//   split   so few rows that threads would idle: units also cut the chunks, and
//           every chunk of every row has a partial state of its own, merged
//           afterwards.
class AttentionPlan {
 public:
  explicit AttentionPlan(const AttentionPlanOptions& options)
      : options_(options) {}

  // Rows of which a split plan may consist, at most.
  int max_split_rows() const;
  // Units of a plan of so many rows, at most, where a row has no more than
  // max_chunks chunks.
  int64_t MaxUnits(int max_rows, int max_chunks) const;
  // Room for MaxUnits units, so that Make does not allocate.
  void Reserve(int max_rows, int max_chunks) {
    units_.reserve(MaxUnits(max_rows, max_chunks));
    shared_slots_.reserve(max_rows);
  }

  void Make(const Batch& batch, int block_size);

  bool is_split() const { return is_split_; }
  // Those that take longest tend to come first.
  std::span<const AttentionUnit> units() const { return units_; }
  // [num_rows of the unit] Of a unit of several runs: the last slot that is
  // shared, for each row.
  const int32_t* SharedSlots(const AttentionUnit& unit) const {
    return &shared_slots_[unit.first_row];
  }
  // Query heads of the largest unit, whatever the batch.
  int max_unit_query_heads() const { return RowsPerUnit() * options_.group; }

 private:
  // Consecutive runs, and what all of them share.
  struct RunGroup {
    int first_run = 0;
    int num_runs = 1;
    int num_rows = 0;
    int num_shared_chunks = 0;
  };

  int RowsPerUnit() const;
  // The longest group from `first_run` on: of at most `max_rows` rows, with a
  // shared chunk at least, and in which no run takes from what those before it
  // share.
  RunGroup GroupFrom(const Batch& batch, int block_size, int first_run,
                     int max_rows) const;
  void AddGroup(const Batch& batch, const RunGroup& group);
  void AddRun(const Batch& batch, int run);
  void AddRows(const Batch& batch, int run, int first_row, int num_rows);

  const AttentionPlanOptions options_;
  bool is_split_ = false;
  std::vector<AttentionUnit> units_;
  std::vector<int32_t> shared_slots_;  // By row.
};

}  // namespace quire

#endif  // QUIRE_WORKER_MODEL_ATTENTION_PLAN_H_
