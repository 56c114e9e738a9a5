#include "scheduler/engine/result_reader.h"

namespace quire {

uint32_t CountSampled(const Run& run, const worker::v1::SampledTokens& sampled,
                      int first) {
  if (!run.samples) return 0;
  const auto& sequences = sampled.sequence();
  int end = first + 1;
  const int most = first + 1 + static_cast<int>(run.num_drafts);
  while (end < most && end < sequences.size() &&
         sequences[end] == run.sequence.value()) {
    ++end;
  }
  return static_cast<uint32_t>(end - first);
}

template <typename Entries>
TokenScores ResultReader::Read(const Entries& entries, Cursor& cursor) {
  TokenScores scores;
  scores.chosen.logprob = entries.logprob(cursor.entry);
  const uint32_t num_top = entries.num_top(cursor.entry++);
  scores.top.reserve(num_top);
  for (uint32_t i = 0; i < num_top; ++i, ++cursor.alternative) {
    scores.top.push_back({.token = entries.top_token(cursor.alternative),
                          .logprob = entries.top_logprob(cursor.alternative)});
  }
  return scores;
}

TokenScores ResultReader::NextSampled() {
  const Token token = result_.sampled().token(sampled_.entry);
  TokenScores scores = Read(result_.sampled(), sampled_);
  scores.chosen.token = token;
  return scores;
}

TokenScores ResultReader::NextPromptScores() {
  return Read(result_.prompt_logprobs(), scored_);
}

void ResultReader::Skip(const Run& run) {
  for (uint32_t i = 0; i < run.num_scored; ++i) NextPromptScores();
  for (uint32_t n = NumSampled(run); n > 0; --n) NextSampled();
}

}  // namespace quire
