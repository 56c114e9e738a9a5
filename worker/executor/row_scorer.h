#ifndef QUIRE_WORKER_EXECUTOR_ROW_SCORER_H_
#define QUIRE_WORKER_EXECUTOR_ROW_SCORER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "worker/executor/batch_builder.h"
#include "worker/executor/thread_pool.h"
#include "worker/sampler/token_sampler.h"

namespace quire {

// Chooses or scores the tokens of many rows, sharing them out over the threads
// of a step. A row's result does not depend on its thread. Not thread-safe.
class RowScorer {
 public:
  // `pool` must outlive the scorer.
  RowScorer(ThreadPool* pool, int64_t vocabulary_size);

  // logits: [rows.size(), vocabulary_size]. INTERNAL names the sequence and the
  // position where a row's logits are no distribution (NaN, infinity).
  absl::Status Score(std::span<const LogitRow> rows, const float* logits);

  // One for each row of the last Score that was ok.
  std::span<const TokenReport> scored() const {
    return {scored_.data(), size_};
  }

 private:
  bool ScoreRow(const LogitRow& row, std::span<const float> logits,
                TokenSampler* sampler, TokenReport* scored) const;

  ThreadPool* const pool_;
  const int64_t vocabulary_size_;
  std::vector<TokenSampler> samplers_;  // One for each thread.
  std::vector<TokenReport> scored_;     // Never shrinks: keeps its buffers.
  std::vector<uint8_t> valid_;          // By row.
  size_t size_ = 0;
};

}  // namespace quire

#endif  // QUIRE_WORKER_EXECUTOR_ROW_SCORER_H_
