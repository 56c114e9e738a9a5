#include "worker/executor/row_scorer.h"

#include <cstddef>

#include "worker/executor/sequence_store.h"
#include "worker/sampler/token_history.h"

namespace quire {

RowScorer::RowScorer(ThreadPool* pool, int64_t vocabulary_size,
                     int64_t logits_stride)
    : pool_(pool),
      vocabulary_size_(vocabulary_size),
      logits_stride_(logits_stride),
      samplers_(pool->num_threads()) {}

void RowScorer::Score(std::span<const LogitRow> rows, const float* logits) {
  if (scored_.size() < rows.size()) scored_.resize(rows.size());
  valid_.assign(rows.size(), 0);
  // One by one, because rows differ in cost.
  pool_->ForEach(static_cast<int64_t>(rows.size()), [&](int part, int64_t i) {
    const float* const row = logits + i * logits_stride_;
    valid_[i] = ScoreRow(rows[i], {row, static_cast<size_t>(vocabulary_size_)},
                         &samplers_[part], &scored_[i]);
  });
}

bool RowScorer::ScoreRow(const LogitRow& row, std::span<const float> logits,
                         TokenSampler* sampler, TokenReport* scored) const {
  const TokenHistory& history = row.sequence->history;
  if (!row.is_sampled) scored->token = history.tokens()[row.position];
  const bool valid =
      row.is_sampled
          ? sampler->Choose(history, row.position, logits, scored)
          : sampler->Score(logits, history.params().top_prompt_logprobs,
                           scored);
  if (!valid) *scored = TokenReport();
  return valid;
}

}  // namespace quire
