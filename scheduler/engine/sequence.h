#ifndef QUIRE_SCHEDULER_ENGINE_SEQUENCE_H_
#define QUIRE_SCHEDULER_ENGINE_SEQUENCE_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "common/ids.h"
#include "scheduler/engine/run.h"
#include "scheduler/memory/block_pool.h"
#include "scheduler/memory/block_table.h"
#include "scheduler/memory/prefix_tree.h"
#include "scheduler/memory/swapped_slots.h"
#include "scheduler/policy/drafting.h"

namespace quire {

// One token stream: its tokens, its blocks, and how far the ranks are with it.
//
//   tokens   0 .................... known
//   slots    0 ........ committed ............ planned ...... capacity
//              written             in flight          reserved
//
// The row at a position writes that token's slot and, if it is the last known
// one or beyond, samples the next token. So the token at `planned` is always
// either known or being sampled in flight, and its row can be planned: planned
// may run ahead of known by as many steps as are in flight. A run may end in
// drafts, rows of tokens that are guessed: what is planned behind them is known
// when the run is committed.
//
// States:
//   parked     holds no blocks, the ranks do not know it: new, preempted, or
//              its epoch has ended. It may be swapped: its first slots are in
//              host blocks
//   awaiting   holds the blocks that it will write; its first slots are those
//              of its parent, which has not planned them all
//   resident   holds blocks
//
//   parked --Enter--> resident --Leave--> parked
//   parked, swapped --EnterSwapped--> resident
//   parked --EnterAsFork--> awaiting --TryFork--> resident
//                           awaiting --Leave--> parked
class Sequence {
 public:
  // `index`: within its request. `runs_ahead`: whether rows are planned for
  // tokens in flight. REQUIRES: the prompt is not empty; max_tokens > 0.
  Sequence(SequenceId id, uint32_t index, std::vector<Token> prompt,
           uint32_t max_tokens, bool runs_ahead = true);
  // A branch of `parent`: with its tokens and `token`, in the same state and
  // with the same blocks. REQUIRES: no row of the parent is in flight and it
  // awaits none.
  Sequence(SequenceId id, uint32_t index, const Sequence& parent, Token token);

  SequenceId id() const { return id_; }
  uint32_t index() const { return index_; }
  // Its index in the LaneTable that it was added to.
  uint32_t lane() const { return lane_; }
  void set_lane(uint32_t lane) { lane_ = lane; }
  // [known]: the prompt, then what was generated.
  std::span<const Token> tokens() const { return tokens_; }
  uint32_t known() const { return static_cast<uint32_t>(tokens_.size()); }
  uint32_t prompt_length() const { return prompt_length_; }
  uint32_t num_generated() const { return known() - prompt_length_; }
  // Slots that will ever be written: the last token is sampled, never read.
  uint32_t last_slots() const { return prompt_length_ + max_tokens_ - 1; }

  bool parked() const { return !table_.has_value(); }
  bool awaiting() const { return num_awaited_ > 0; }
  uint32_t committed() const { return committed_; }
  uint32_t planned() const { return table_ ? table_->num_slots() : 0; }
  uint32_t num_blocks() const { return table_ ? table_->num_blocks() : 0; }

  // Becomes resident with blocks for `num_slots` slots, the first of which are
  // those of `prefix`: findable blocks, written with its first tokens.
  // REQUIRES: parked, and the pool has the others.
  void Enter(BlockPool* pool, uint32_t block_size, uint32_t num_slots,
             std::span<const BlockId> prefix = {});
  // Becomes awaiting its first `num_shared` slots, with blocks of its own for
  // those up to `num_slots`. `parent` must outlive the wait, or ForgetParent is
  // called. REQUIRES: as Enter; 0 < num_shared < known(), and the tokens of
  // these slots are the parent's.
  void EnterAsFork(const Sequence* parent, uint32_t num_shared, BlockPool* pool,
                   uint32_t block_size, uint32_t num_slots);
  // Becomes resident where the parent has planned what is awaited.
  void TryFork();
  // The sequence that it is a fork of; null: none, or it is gone.
  const Sequence* parent() const { return parent_; }
  void ForgetParent() { parent_ = nullptr; }
  // Whether a full block of it may not be findable yet.
  bool has_unpublished() const {
    return (num_published_ + 1) * table_->block_size() <=
           std::min(committed_, known());
  }
  // Makes the blocks that were filled since the last call findable; one whose
  // content can be found already gives way to the block that has it.
  void Publish(KeySpace space, PrefixTree* prefixes, BlockPool* pool);
  // Gives every block back and forgets rows in flight.
  void Leave();

  // What its slots are swapped out to, for its next stay; null: they are not.
  // It lasts until the sequence enters, however it does.
  const SwappedSlots* swapped() const {
    return swapped_ ? &*swapped_ : nullptr;
  }
  // How many of them it goes on behind: the last known token's row is computed
  // in any case, for what comes after it. REQUIRES: swapped, and no row of it
  // in flight.
  uint32_t num_returning_slots() const {
    return std::min(swapped_->num_slots, known() - 1);
  }
  void SetSwapped(SwappedSlots swapped) { swapped_ = std::move(swapped); }
  void ForgetSwapped() { swapped_.reset(); }
  // Becomes resident where it left off, with `blocks`, to which its
  // num_returning_slots() come back, and blocks for `num_slots` slots in all.
  // REQUIRES: as Enter and num_returning_slots().
  void EnterSwapped(BlockPool* pool, uint32_t block_size,
                    std::vector<BlockRef> blocks, uint32_t num_slots);
  // Whether it has gained a token since it was last parked.
  bool has_gained() const { return known() > known_at_entry_; }

  // Whether the ranks were told of it since it was parked.
  bool told() const { return told_; }
  void SetTold() { told_ = true; }

  // All that follows REQUIRES: not parked.

  BlockTable& table() { return *table_; }
  const BlockTable& table() const { return *table_; }

  // Rows that can be planned now: all known tokens that no row has read yet;
  // else one, for the token in flight, where it runs ahead; none once
  // max_tokens are on their way, or while it awaits its parent. REQUIRES, here
  // and below: no drafts of it are in flight.
  uint32_t PlannableRows() const;
  // Drafts that rows planned now can end in, at most.
  uint32_t PlannableDrafts() const {
    return last_slots() - planned() - PlannableRows();
  }
  // Whether it is time to guess, by how its drafts fared.
  bool may_guess() const { return guess_pace_.MayGuess(known()); }
  // Tokens up to and including the one at planned() that are not known yet.
  uint32_t num_in_flight() const {
    return planned() < known() ? 0 : planned() + 1 - known();
  }
  // Blocks for `num_rows` more rows. False: too few are available.
  bool ReserveRows(uint32_t num_rows);
  // Plans the next `num_rows` rows and so many of drafts. REQUIRES: plannable
  // and reserved; drafts only behind the last plannable row.
  Run PlanRows(uint32_t num_rows, uint32_t num_drafts = 0);
  // The ranks have written the rows of the oldest run in flight, and so many of
  // its drafts are right; the slots of the others are reserved again. Returns
  // how many rows had been committed in an earlier stay. REQUIRES: it starts
  // where the committed ones end.
  uint32_t CommitRows(const Run& run, uint32_t num_right_drafts = 0);

  // In any state. The token at position known() is now known.
  void AppendToken(Token token) { tokens_.push_back(token); }
  // When its last token came; InfinitePast before the first.
  absl::Time last_token_time() const { return last_token_time_; }
  void set_last_token_time(absl::Time now) { last_token_time_ = now; }

 private:
  const SequenceId id_;
  const uint32_t index_;
  const uint32_t prompt_length_;
  const uint32_t max_tokens_;
  const bool runs_ahead_;
  uint32_t lane_ = 0;
  std::vector<Token> tokens_;
  std::optional<BlockTable> table_;  // Its slots in use are the planned ones.
  std::optional<SwappedSlots> swapped_;
  uint32_t committed_ = 0;
  const Sequence* parent_ = nullptr;
  GuessPace guess_pace_;
  uint32_t num_awaited_ = 0;     // Slots.
  uint32_t num_published_ = 0;   // Blocks.
  uint32_t most_committed_ = 0;  // In any stay.
  uint32_t known_at_entry_ = 0;  // Tokens.
  bool told_ = false;
  absl::Time last_token_time_ = absl::InfinitePast();
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_SEQUENCE_H_
