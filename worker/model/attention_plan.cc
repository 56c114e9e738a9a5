#include "worker/model/attention_plan.h"

#include <algorithm>

#include "kernels/attention.h"

namespace quire {
namespace {

// So many query heads that a chunk of keys, once in the first-level cache, pays
// off, and so few that their states stay in the second-level cache.
constexpr int kQueryHeadsPerUnit = 96;

// Units for each thread below which a plan is split, so that the last one does
// not let the others wait for long.
constexpr int kUnitsPerThread = 4;

// Chunks of a unit in a split plan.
constexpr int kChunksPerUnit = 4;

int CeilDivide(int a, int b) { return (a + b - 1) / b; }

}  // namespace

int AttentionPlan::RowsPerUnit() const {
  return std::max(1, kQueryHeadsPerUnit / options_.group);
}

int AttentionPlan::max_split_rows() const {
  if (options_.num_threads == 1) return 0;
  return CeilDivide(kUnitsPerThread * options_.num_threads,
                    options_.num_kv_heads) -
         1;
}

// At worst every row is a run of its own.
int64_t AttentionPlan::MaxUnits(int max_rows, int max_chunks) const {
  const int64_t split_units = int64_t{std::min(max_rows, max_split_rows())} *
                              CeilDivide(max_chunks, kChunksPerUnit);
  return options_.num_kv_heads * std::max<int64_t>(max_rows, split_units);
}

void AttentionPlan::Make(const Batch& batch) {
  units_.clear();
  is_split_ = batch.num_rows() <= max_split_rows();
  for (int run = 0; run < batch.num_runs(); ++run) {
    const int begin = batch.run_rows[run];
    // Later rows have more keys.
    for (int end = batch.run_rows[run + 1]; end > begin;) {
      const int num_rows = std::min(RowsPerUnit(), end - begin);
      end -= num_rows;
      AddRows(batch, run, end, num_rows);
    }
  }
}

void AttentionPlan::AddRows(const Batch& batch, int run, int first_row,
                            int num_rows) {
  const int num_chunks =
      batch.slots[first_row + num_rows - 1] / kAttentionChunk + 1;
  const int step = is_split_ ? kChunksPerUnit : num_chunks;
  for (int head = 0; head < options_.num_kv_heads; ++head) {
    for (int chunk = 0; chunk < num_chunks; chunk += step) {
      units_.push_back({.run = run,
                        .kv_head = head,
                        .first_row = first_row,
                        .num_rows = num_rows,
                        .first_chunk = chunk,
                        .last_chunk = std::min(chunk + step, num_chunks)});
    }
  }
}

}  // namespace quire
