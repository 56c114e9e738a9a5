#include "worker/model/attention_plan.h"

#include <algorithm>
#include <span>

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

// Leading chunks that lie in the same blocks for both runs, before the first
// slot that either writes.
int NumSharedChunks(const Batch& batch, int block_size, int a, int b) {
  const auto table = [&](int run) {
    return std::span(batch.blocks)
        .subspan(batch.run_blocks[run],
                 batch.run_blocks[run + 1] - batch.run_blocks[run]);
  };
  const int first_written =
      std::min(batch.slots[batch.run_rows[a]], batch.slots[batch.run_rows[b]]);
  const int num_blocks = static_cast<int>(
      std::ranges::mismatch(table(a), table(b)).in1 - table(a).begin());
  return std::min(num_blocks * block_size, first_written) / kAttentionChunk;
}

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

void AttentionPlan::Make(const Batch& batch, int block_size) {
  units_.clear();
  shared_slots_.assign(batch.num_rows(), 0);
  is_split_ = batch.num_rows() <= max_split_rows();
  const int max_group_rows = std::min(
      RowsPerUnit(), CeilDivide(batch.num_rows() * options_.num_kv_heads,
                                kUnitsPerThread * options_.num_threads));
  for (int run = 0; run < batch.num_runs();) {
    const RunGroup group = GroupFrom(batch, block_size, run, max_group_rows);
    if (group.num_runs > 1 && !is_split_) {
      AddGroup(batch, group);
      run += group.num_runs;
    } else {
      AddRun(batch, run++);
    }
  }
}

AttentionPlan::RunGroup AttentionPlan::GroupFrom(const Batch& batch,
                                                 int block_size, int first_run,
                                                 int max_rows) const {
  const auto num_rows = [&](int run) {
    return batch.run_rows[run + 1] - batch.run_rows[run];
  };
  RunGroup group = {.first_run = first_run, .num_rows = num_rows(first_run)};
  for (int run = first_run + 1; run < batch.num_runs(); ++run) {
    if (group.num_rows + num_rows(run) > max_rows) break;
    const int shared = NumSharedChunks(batch, block_size, first_run, run);
    if (shared == 0) break;
    if (group.num_runs > 1 && shared < group.num_shared_chunks) break;
    if (group.num_runs == 1) group.num_shared_chunks = shared;
    ++group.num_runs;
    group.num_rows += num_rows(run);
  }
  return group;
}

void AttentionPlan::AddGroup(const Batch& batch, const RunGroup& group) {
  const int first_row = batch.run_rows[group.first_run];
  const int last_row = first_row + group.num_rows - 1;
  std::fill(&shared_slots_[first_row], &shared_slots_[last_row] + 1,
            group.num_shared_chunks * kAttentionChunk - 1);
  for (int head = 0; head < options_.num_kv_heads; ++head) {
    units_.push_back({.run = group.first_run,
                      .kv_head = head,
                      .first_row = first_row,
                      .num_rows = group.num_rows,
                      .last_chunk = batch.slots[last_row] / kAttentionChunk + 1,
                      .num_shared_chunks = group.num_shared_chunks});
  }
}

void AttentionPlan::AddRun(const Batch& batch, int run) {
  const int begin = batch.run_rows[run];
  // Later rows have more keys.
  for (int end = batch.run_rows[run + 1]; end > begin;) {
    const int num_rows = std::min(RowsPerUnit(), end - begin);
    end -= num_rows;
    AddRows(batch, run, end, num_rows);
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
