#include "scheduler/engine/sequence.h"

#include <algorithm>
#include <utility>

#include "common/check.h"

namespace quire {

Sequence::Sequence(SequenceId id, std::vector<Token> prompt,
                   uint32_t max_tokens)
    : id_(id),
      prompt_length_(static_cast<uint32_t>(prompt.size())),
      max_tokens_(max_tokens),
      tokens_(std::move(prompt)) {
  QUIRE_CHECK(prompt_length_ > 0);
  QUIRE_CHECK(max_tokens_ > 0);
}

void Sequence::Enter(BlockPool* pool, uint32_t block_size, uint32_t num_slots) {
  QUIRE_CHECK(!resident());
  table_.emplace(pool, block_size);
  QUIRE_CHECK(table_->Reserve(num_slots));
}

void Sequence::Leave() {
  table_.reset();
  committed_ = 0;
}

uint32_t Sequence::PlannableRows() const {
  if (planned() >= last_slots()) return 0;
  return known() > planned() ? known() - planned() : 1;
}

bool Sequence::Reserve(uint32_t num_rows) {
  return table_->Reserve(planned() + num_rows);
}

Run Sequence::PlanRows(uint32_t num_rows) {
  QUIRE_CHECK(num_rows > 0 && num_rows <= PlannableRows());
  Run run{.sequence = id_, .position = planned(), .num_rows = num_rows};
  run.num_prompt_rows = std::min(run.end(), prompt_length_) -
                        std::min(run.position, prompt_length_);
  run.samples = run.end() >= known();
  table_->Append(num_rows);
  return run;
}

void Sequence::CommitRows(const Run& run) {
  QUIRE_CHECK(run.position == committed_);
  committed_ = run.end();
  QUIRE_CHECK(committed_ <= planned());
}

}  // namespace quire
