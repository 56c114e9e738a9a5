#include "worker/executor/row_scorer.h"

#include <algorithm>
#include <atomic>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "worker/executor/sequence_store.h"
#include "worker/sampler/token_history.h"

namespace quire {

RowScorer::RowScorer(ThreadPool* pool, int64_t vocabulary_size)
    : pool_(pool),
      vocabulary_size_(vocabulary_size),
      samplers_(pool->num_threads()) {}

absl::Status RowScorer::Score(std::span<const LogitRow> rows,
                              const float* logits) {
  size_ = rows.size();
  if (scored_.size() < size_) scored_.resize(size_);
  valid_.assign(size_, 0);
  // Rows differ in cost, so threads take the next one as they come free.
  std::atomic<size_t> next = 0;
  pool_->Run([&](int thread) {
    for (size_t i = next++; i < rows.size(); i = next++) {
      const float* const row = logits + i * vocabulary_size_;
      valid_[i] =
          ScoreRow(rows[i], {row, static_cast<size_t>(vocabulary_size_)},
                   &samplers_[thread], &scored_[i]);
    }
  });
  const auto bad = std::find(valid_.begin(), valid_.end(), 0);
  if (bad == valid_.end()) return absl::OkStatus();
  const LogitRow& row = rows[bad - valid_.begin()];
  return absl::InternalError(absl::StrCat("sequence ", row.sequence->id.value(),
                                          ": the logits of position ",
                                          row.position, " are not finite"));
}

bool RowScorer::ScoreRow(const LogitRow& row, std::span<const float> logits,
                         TokenSampler* sampler, TokenReport* scored) const {
  const TokenHistory& history = row.sequence->history;
  if (row.is_sampled) return sampler->Choose(history, logits, scored);
  scored->token = history.tokens()[row.position];
  return sampler->Score(logits, history.params().top_prompt_logprobs, scored);
}

}  // namespace quire
