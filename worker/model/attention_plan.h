#ifndef QUIRE_WORKER_MODEL_ATTENTION_PLAN_H_
#define QUIRE_WORKER_MODEL_ATTENTION_PLAN_H_

#include <cstdint>
#include <span>
#include <vector>

#include "worker/model/batch.h"

namespace quire {

// Attention of some rows of a run to one KV head, over a range of chunks: what
// one thread takes on at a time.
struct AttentionUnit {
  int run = 0;
  int kv_head = 0;
  int first_row = 0;  // Of the batch.
  int num_rows = 0;
  int first_chunk = 0;
  int last_chunk = 0;  // Not included.
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
//   whole   a unit covers all chunks of its rows;
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
  }

  void Make(const Batch& batch);

  bool is_split() const { return is_split_; }
  // Those that take longest tend to come first.
  std::span<const AttentionUnit> units() const { return units_; }
  // Query heads of the largest unit, whatever the batch.
  int max_unit_query_heads() const { return RowsPerUnit() * options_.group; }

 private:
  int RowsPerUnit() const;
  void AddRows(const Batch& batch, int run, int first_row, int num_rows);

  const AttentionPlanOptions options_;
  bool is_split_ = false;
  std::vector<AttentionUnit> units_;
};

}  // namespace quire

#endif  // QUIRE_WORKER_MODEL_ATTENTION_PLAN_H_
