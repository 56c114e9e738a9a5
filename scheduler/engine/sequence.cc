#include "scheduler/engine/sequence.h"

#include <algorithm>
#include <utility>

#include "common/check.h"

namespace quire {

Sequence::Sequence(SequenceId id, uint32_t index, std::vector<Token> prompt,
                   uint32_t max_tokens, bool runs_ahead)
    : id_(id),
      index_(index),
      prompt_length_(static_cast<uint32_t>(prompt.size())),
      max_tokens_(max_tokens),
      runs_ahead_(runs_ahead),
      tokens_(std::move(prompt)) {
  QUIRE_CHECK(prompt_length_ > 0);
  QUIRE_CHECK(max_tokens_ > 0);
}

Sequence::Sequence(SequenceId id, uint32_t index, const Sequence& parent,
                   Token token)
    : id_(id),
      index_(index),
      prompt_length_(parent.prompt_length_),
      max_tokens_(parent.max_tokens_),
      runs_ahead_(parent.runs_ahead_),
      swapped_(parent.swapped_),
      committed_(parent.committed_),
      num_published_(parent.num_published_),
      most_committed_(parent.most_committed_),
      known_at_entry_(parent.known_at_entry_),
      last_token_time_(parent.last_token_time_) {
  tokens_.reserve(parent.known() + 1);
  tokens_ = parent.tokens_;
  tokens_.push_back(token);
  if (parent.parked()) return;
  QUIRE_CHECK(committed_ == parent.planned() && !parent.awaiting());
  table_.emplace(parent.table_->pool(), parent.table_->block_size());
  table_->Fork(*parent.table_, committed_);
}

void Sequence::Enter(BlockPool* pool, uint32_t block_size, uint32_t num_slots,
                     std::span<const BlockId> prefix) {
  QUIRE_CHECK(parked());
  known_at_entry_ = known();
  table_.emplace(pool, block_size);
  for (const BlockId block : prefix) {
    table_->AppendShared(pool->Revive(block), block_size);
  }
  swapped_.reset();
  committed_ = table_->num_slots();
  num_published_ = table_->num_blocks();
  QUIRE_CHECK(table_->Reserve(num_slots));
}

void Sequence::EnterAsFork(const Sequence* parent, uint32_t num_shared,
                           BlockPool* pool, uint32_t block_size,
                           uint32_t num_slots) {
  QUIRE_CHECK(num_shared > 0 && num_shared < known());
  Enter(pool, block_size, num_slots - num_shared / block_size * block_size);
  parent_ = parent;
  num_awaited_ = num_shared;
}

void Sequence::EnterSwapped(BlockPool* pool, uint32_t block_size,
                            std::vector<BlockRef> blocks, uint32_t num_slots) {
  QUIRE_CHECK(parked());
  known_at_entry_ = known();
  table_.emplace(pool, block_size);
  uint32_t slots_left = num_returning_slots();
  for (BlockRef& block : blocks) {
    const uint32_t num_used = std::min(slots_left, block_size);
    table_->AppendShared(std::move(block), num_used);
    slots_left -= num_used;
  }
  QUIRE_CHECK(slots_left == 0 && table_->Reserve(num_slots));
  swapped_.reset();
  committed_ = table_->num_slots();
  most_committed_ = std::max(most_committed_, committed_);
}

void Sequence::TryFork() {
  if (!awaiting() || parent_->planned() < num_awaited_) return;
  table_->Fork(parent_->table(), num_awaited_);
  committed_ = std::exchange(num_awaited_, 0);
}

void Sequence::Publish(KeySpace space, PrefixTree* prefixes, BlockPool* pool) {
  const uint32_t block_size = table_->block_size();
  while (has_unpublished()) {
    const uint32_t i = num_published_;
    std::optional<BlockId> parent;
    if (i > 0) parent = table_->blocks()[i - 1].id();
    const BlockId own = table_->blocks()[i].id();
    const std::optional<BlockId> node = prefixes->Publish(
        space, parent, tokens().subspan(i * block_size, block_size), own);
    if (!node.has_value()) return;
    if (*node != own) table_->Replace(i, pool->Revive(*node));
    ++num_published_;
  }
}

void Sequence::Leave() {
  table_.reset();
  committed_ = 0;
  num_published_ = 0;
  parent_ = nullptr;
  num_awaited_ = 0;
  told_ = false;
}

uint32_t Sequence::PlannableRows() const {
  if (awaiting() || planned() >= last_slots()) return 0;
  if (known() > planned()) return known() - planned();
  return runs_ahead_ ? 1 : 0;
}

bool Sequence::ReserveRows(uint32_t num_rows) {
  return table_->Reserve(planned() + num_rows);
}

Run Sequence::PlanRows(uint32_t num_rows, uint32_t num_drafts) {
  QUIRE_CHECK(num_rows > 0 && num_rows <= PlannableRows());
  QUIRE_CHECK(num_drafts == 0 ||
              (num_rows == PlannableRows() && num_drafts <= PlannableDrafts()));
  Run run{.sequence = id_,
          .lane = lane_,
          .position = planned(),
          .num_rows = num_rows + num_drafts,
          .num_drafts = num_drafts};
  run.num_prompt_rows = std::min(run.known_end(), prompt_length_) -
                        std::min(run.position, prompt_length_);
  run.samples = run.known_end() >= known();
  table_->Append(run.num_rows);
  return run;
}

uint32_t Sequence::CommitRows(const Run& run, uint32_t num_right_drafts) {
  QUIRE_CHECK(run.position == committed_);
  QUIRE_CHECK(num_right_drafts <= run.num_drafts);
  if (run.num_drafts > 0) {
    table_->Retract(run.num_drafts - num_right_drafts);
    guess_pace_.Observe(run.known_end(), num_right_drafts);
  }
  committed_ = run.known_end() + num_right_drafts;
  QUIRE_CHECK(committed_ <= planned());
  const uint32_t num_recomputed = std::min(committed_, most_committed_) -
                                  std::min(run.position, most_committed_);
  most_committed_ = std::max(most_committed_, committed_);
  return num_recomputed;
}

}  // namespace quire
