#ifndef QUIRE_WORKER_EXECUTOR_ROW_SCORER_H_
#define QUIRE_WORKER_EXECUTOR_ROW_SCORER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "worker/executor/logit_row.h"
#include "worker/executor/thread_pool.h"
#include "worker/sampler/token_sampler.h"

namespace quire {

// Chooses or scores the tokens of many rows, sharing them out over the threads
// of a step. A row's result does not depend on its thread. Not thread-safe.
class RowScorer {
 public:
  // `pool` must outlive the scorer.
  RowScorer(ThreadPool* pool, int64_t vocabulary_size, int64_t logits_stride);

  // logits: [rows.size(), logits_stride], of which the first vocabulary_size
  // count.
  void Score(std::span<const LogitRow> rows, const float* logits);

  // One for each row of the last Score.
  std::span<const TokenReport> scored() const {
    return {scored_.data(), valid_.size()};
  }
  // Whether row i's logits are no distribution (NaN, infinity): its report is
  // an empty one, of token 0.
  bool failed(size_t i) const { return valid_[i] == 0; }

 private:
  bool ScoreRow(const LogitRow& row, std::span<const float> logits,
                TokenSampler* sampler, TokenReport* scored) const;

  ThreadPool* const pool_;
  const int64_t vocabulary_size_;
  const int64_t logits_stride_;
  std::vector<TokenSampler> samplers_;  // By part of the work.
  std::vector<TokenReport> scored_;     // Never shrinks: keeps its buffers.
  std::vector<uint8_t> valid_;          // By row.
};

}  // namespace quire

#endif  // QUIRE_WORKER_EXECUTOR_ROW_SCORER_H_
