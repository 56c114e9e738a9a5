#ifndef QUIRE_SCHEDULER_ENGINE_SEQUENCE_H_
#define QUIRE_SCHEDULER_ENGINE_SEQUENCE_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "common/ids.h"
#include "scheduler/engine/run.h"
#include "scheduler/memory/block_pool.h"
#include "scheduler/memory/block_table.h"

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
// may run ahead of known by as many steps as are in flight.
//
// States:
//   parked     holds no blocks, the ranks do not know it: new, preempted, or
//              its epoch has ended
//   resident   holds blocks; the ranks hold its tokens and its table
//
//   parked --Enter--> resident --Leave--> parked
class Sequence {
 public:
  // REQUIRES: the prompt is not empty; max_tokens > 0.
  Sequence(SequenceId id, std::vector<Token> prompt, uint32_t max_tokens);

  SequenceId id() const { return id_; }
  // [known]: the prompt, then what was generated.
  std::span<const Token> tokens() const { return tokens_; }
  uint32_t known() const { return static_cast<uint32_t>(tokens_.size()); }
  uint32_t prompt_length() const { return prompt_length_; }
  uint32_t max_tokens() const { return max_tokens_; }
  uint32_t num_generated() const { return known() - prompt_length_; }
  // Slots that will ever be written: the last token is sampled, never read.
  uint32_t last_slots() const { return prompt_length_ + max_tokens_ - 1; }

  bool resident() const { return table_.has_value(); }
  uint32_t committed() const { return committed_; }
  uint32_t planned() const { return table_ ? table_->num_slots() : 0; }
  uint32_t num_blocks() const { return table_ ? table_->num_blocks() : 0; }

  // Becomes resident with blocks for `num_slots` slots. REQUIRES: parked, and
  // the pool has them.
  void Enter(BlockPool* pool, uint32_t block_size, uint32_t num_slots);
  // Gives every block back and forgets rows in flight.
  void Leave();

  // All that follows REQUIRES: resident.

  BlockTable& table() { return *table_; }
  const BlockTable& table() const { return *table_; }

  // Rows that can be planned now: all known tokens that no row has read yet;
  // else one, for the token in flight; none once max_tokens are on their way.
  uint32_t PlannableRows() const;
  // Blocks for `num_rows` more rows. False: the pool has too few free.
  bool Reserve(uint32_t num_rows);
  // Plans the next `num_rows` rows. REQUIRES: plannable and reserved.
  Run PlanRows(uint32_t num_rows);
  // The ranks have written the rows of the oldest run in flight. REQUIRES: it
  // starts where the committed ones end.
  void CommitRows(const Run& run);

  // In any state. The token at position known() is now known.
  void AppendToken(Token token) { tokens_.push_back(token); }

 private:
  const SequenceId id_;
  const uint32_t prompt_length_;
  const uint32_t max_tokens_;
  std::vector<Token> tokens_;
  std::optional<BlockTable> table_;  // Its slots in use are the planned ones.
  uint32_t committed_ = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_SEQUENCE_H_
