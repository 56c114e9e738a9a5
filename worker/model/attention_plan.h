#ifndef QUIRE_WORKER_MODEL_ATTENTION_PLAN_H_
#define QUIRE_WORKER_MODEL_ATTENTION_PLAN_H_

#include <cstdint>
#include <span>
#include <vector>

#include "common/ids.h"
#include "worker/model/batch.h"

namespace quire {

// A range of chunks that some rows attend to, all in the same blocks. Rows are
// counted in the plan's order.
struct AttentionSpan {
  int run = 0;  // Of the batch: whose block table says where the chunks lie.
  int first_row = 0;
  int num_rows = 0;
  int first_chunk = 0;
  int last_chunk = 0;  // Not included.
};

// Spans of some rows, and one KV head: what one thread takes on at a time. A
// row's spans come in the order of its chunks.
struct AttentionUnit {
  int kv_head = 0;
  int first_row = 0;  // In the plan's order.
  int num_rows = 0;
  int first_span = 0;
  int last_span = 0;  // Not included.
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
//   whole   a unit covers all chunks of its rows. Where sequences share blocks,
//           it has rows of several: these attend together to the chunks that
//           they share, which are read once, and then apart to others;
//   split   so few rows that threads would idle: a unit is one span, of rows of
//           one run and a few chunks, and every chunk of every row has a
//           partial state of its own, merged afterwards.
class AttentionPlan {
 public:
  explicit AttentionPlan(const AttentionPlanOptions& options)
      : options_(options) {}

  // Rows of which a split plan may consist, at most.
  int max_split_rows() const;
  // Units of a plan of so many rows, at most, where a row has no more than
  // max_chunks chunks.
  int64_t MaxUnits(int max_rows, int max_chunks) const;
  // Room for such a plan, so that Make does not allocate.
  void Reserve(int max_rows, int max_chunks);

  void Make(const Batch& batch, int block_size);

  bool is_split() const { return is_split_; }
  // In the plan's order, in which rows of runs that share blocks are
  // neighbours: the rows of the batch. [num_rows]
  std::span<const int32_t> rows() const { return rows_; }
  // And their slots.
  std::span<const int32_t> slots() const { return slots_; }
  std::span<const AttentionUnit> units() const { return units_; }
  std::span<const AttentionSpan> SpansOf(const AttentionUnit& unit) const {
    return std::span(spans_).subspan(unit.first_span,
                                     unit.last_span - unit.first_span);
  }
  // Query heads of the largest unit, whatever the batch.
  int max_unit_query_heads() const { return MaxRowsPerUnit() * options_.group; }

 private:
  struct OrderedRun {
    int run;
    int first_row;   // In the plan's order.
    int num_shared;  // Leading chunks that it shares with the run before it.
  };

  int MaxRowsPerUnit() const;
  int RowsPerUnit(int num_rows) const;
  void OrderRuns(const Batch& batch, int block_size);
  void AddAlone(const Batch& batch, const OrderedRun& run, int most_rows);
  void AddTogether(const Batch& batch, std::span<const OrderedRun> runs);
  void AddTree(const Batch& batch, std::span<const OrderedRun> runs,
               int first_chunk);
  // For all heads, of the spans from first_span on.
  void AddUnits(int first_row, int num_rows, int first_span);

  const AttentionPlanOptions options_;
  bool is_split_ = false;
  std::vector<OrderedRun> runs_;
  std::vector<int32_t> rows_;
  std::vector<int32_t> slots_;
  std::vector<AttentionSpan> spans_;
  std::vector<AttentionUnit> units_;
};

}  // namespace quire

#endif  // QUIRE_WORKER_MODEL_ATTENTION_PLAN_H_
