#include "worker/model/attention_plan.h"

#include <algorithm>
#include <numeric>

#include "kernels/attention.h"

namespace quire {
namespace {

// So many query heads that a chunk of keys, once in the first-level cache, pays
// off, and so few that their states stay in the second-level cache.
constexpr int kQueryHeadsPerUnit = 96;
// A unit has at least so many query heads where there are rows: a tile of 16
// costs what one does.
constexpr int kLeastQueryHeads = 16;

// Units for each thread below which a plan is split, so that the last one does
// not let the others wait for long.
constexpr int kUnitsPerThread = 4;

// Chunks of a unit in a split plan.
constexpr int kChunksPerUnit = 4;

int CeilDivide(int a, int b) { return (a + b - 1) / b; }

int NumRows(const Batch& batch, int run) {
  return batch.run_rows[run + 1] - batch.run_rows[run];
}

std::span<const BlockId> TableOf(const Batch& batch, int run) {
  return std::span(batch.blocks)
      .subspan(batch.run_blocks[run],
               batch.run_blocks[run + 1] - batch.run_blocks[run]);
}

// Leading chunks that all rows of both runs attend to, whole, in the same
// blocks.
int NumShared(const Batch& batch, int run, int other, int block_size) {
  const auto table = TableOf(batch, run);
  const auto end = std::ranges::mismatch(table, TableOf(batch, other)).in1;
  const auto num_slots =
      static_cast<int>(end - table.begin()) * int64_t{block_size};
  const int first_slot = std::min(batch.slots[batch.run_rows[run]],
                                  batch.slots[batch.run_rows[other]]);
  return static_cast<int>(std::min<int64_t>(num_slots, first_slot) /
                          kAttentionChunk);
}

}  // namespace

int AttentionPlan::MaxRowsPerUnit() const {
  return std::max(1, kQueryHeadsPerUnit / options_.group);
}

// Fewer where threads would not have units enough.
int AttentionPlan::RowsPerUnit(int num_rows) const {
  const int most = MaxRowsPerUnit();
  const int least =
      std::min(most, CeilDivide(kLeastQueryHeads, options_.group));
  return std::clamp(CeilDivide(num_rows * options_.num_kv_heads,
                               kUnitsPerThread * options_.num_threads),
                    least, most);
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

void AttentionPlan::Reserve(int max_rows, int max_chunks) {
  runs_.reserve(max_rows);
  rows_.reserve(max_rows);
  slots_.reserve(max_rows);
  units_.reserve(MaxUnits(max_rows, max_chunks));
  // A tree has fewer inner nodes than leaves.
  spans_.reserve(
      std::max<int64_t>(2 * max_rows, MaxUnits(max_rows, max_chunks)));
}

void AttentionPlan::Make(const Batch& batch, int block_size) {
  spans_.clear();
  units_.clear();
  is_split_ = batch.num_rows() <= max_split_rows();
  OrderRuns(batch, block_size);
  const int most_rows = RowsPerUnit(batch.num_rows());
  for (auto begin = runs_.begin(); begin != runs_.end();) {
    int num_rows = NumRows(batch, begin->run);
    auto end = begin + 1;
    while (!is_split_ && end != runs_.end() && end->num_shared > 0) {
      num_rows += NumRows(batch, end->run);
      if (num_rows > most_rows) break;
      ++end;
    }
    if (end - begin == 1) {
      AddAlone(batch, *begin, most_rows);
    } else {
      AddTogether(batch, {begin, end});
    }
    begin = end;
  }
}

// Tables in lexicographic order: what two runs share all between them do.
void AttentionPlan::OrderRuns(const Batch& batch, int block_size) {
  runs_.clear();
  for (int run = 0; run < batch.num_runs(); ++run)
    runs_.push_back({.run = run});
  std::ranges::sort(runs_, [&](const OrderedRun& a, const OrderedRun& b) {
    return std::ranges::lexicographical_compare(TableOf(batch, a.run),
                                                TableOf(batch, b.run));
  });
  rows_.resize(batch.num_rows());
  slots_.clear();
  int num_rows = 0;
  for (size_t i = 0; i < runs_.size(); ++i) {
    OrderedRun& run = runs_[i];
    run.first_row = num_rows;
    run.num_shared =
        i == 0 ? 0 : NumShared(batch, run.run, runs_[i - 1].run, block_size);
    const int first_row = batch.run_rows[run.run];
    const int end_row = batch.run_rows[run.run + 1];
    std::iota(rows_.begin() + num_rows,
              rows_.begin() + num_rows + end_row - first_row, first_row);
    slots_.insert(slots_.end(), batch.slots.begin() + first_row,
                  batch.slots.begin() + end_row);
    num_rows += end_row - first_row;
  }
}

// Later rows, which have more keys, come first.
void AttentionPlan::AddAlone(const Batch& batch, const OrderedRun& run,
                             int most_rows) {
  const int first_row = run.first_row;
  for (int end = first_row + NumRows(batch, run.run); end > first_row;) {
    const int num_rows = std::min(most_rows, end - first_row);
    end -= num_rows;
    const int num_chunks = slots_[end + num_rows - 1] / kAttentionChunk + 1;
    const int step = is_split_ ? kChunksPerUnit : num_chunks;
    for (int chunk = 0; chunk < num_chunks; chunk += step) {
      const auto first_span = static_cast<int>(spans_.size());
      spans_.push_back({.run = run.run,
                        .first_row = end,
                        .num_rows = num_rows,
                        .first_chunk = chunk,
                        .last_chunk = std::min(chunk + step, num_chunks)});
      AddUnits(end, num_rows, first_span);
    }
  }
}

void AttentionPlan::AddTogether(const Batch& batch,
                                std::span<const OrderedRun> runs) {
  const auto first_span = static_cast<int>(spans_.size());
  AddTree(batch, runs, /*first_chunk=*/0);
  const int first_row = runs.front().first_row;
  const int end_row = runs.back().first_row + NumRows(batch, runs.back().run);
  AddUnits(first_row, end_row - first_row, first_span);
}

// Spans of runs that share the chunks before first_chunk: one of those that all
// share from there on, then of those that fewer do.
void AttentionPlan::AddTree(const Batch& batch,
                            std::span<const OrderedRun> runs, int first_chunk) {
  const OrderedRun& first = runs.front();
  const OrderedRun& last = runs.back();
  const int end_row = last.first_row + NumRows(batch, last.run);
  int num_shared = slots_[end_row - 1] / kAttentionChunk + 1;
  for (const OrderedRun& run : runs.subspan(1)) {
    num_shared = std::min(num_shared, run.num_shared);
  }
  if (num_shared > first_chunk) {
    spans_.push_back({.run = first.run,
                      .first_row = first.first_row,
                      .num_rows = end_row - first.first_row,
                      .first_chunk = first_chunk,
                      .last_chunk = num_shared});
  }
  if (runs.size() == 1) return;
  for (auto begin = runs.begin(); begin != runs.end();) {
    const auto end = std::find_if(
        begin + 1, runs.end(),
        [&](const OrderedRun& run) { return run.num_shared == num_shared; });
    AddTree(batch, {begin, end}, num_shared);
    begin = end;
  }
}

void AttentionPlan::AddUnits(int first_row, int num_rows, int first_span) {
  for (int head = 0; head < options_.num_kv_heads; ++head) {
    units_.push_back({.kv_head = head,
                      .first_row = first_row,
                      .num_rows = num_rows,
                      .first_span = first_span,
                      .last_span = static_cast<int>(spans_.size())});
  }
}

}  // namespace quire
