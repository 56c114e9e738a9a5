#include "tests/testing/plan_writer.h"

namespace quire::testing {

using worker::v1::NewSequence;
using worker::v1::Sampling;

Sampling GreedySampling() {
  Sampling sampling;
  sampling.set_top_p(1);
  sampling.set_repetition_penalty(1);
  return sampling;
}

NewSequence NewSequenceOf(uint64_t id, const std::vector<Token>& tokens,
                          const std::vector<uint32_t>& blocks) {
  NewSequence sequence;
  sequence.set_sequence(id);
  sequence.mutable_tokens()->Assign(tokens.begin(), tokens.end());
  sequence.set_prompt_length(static_cast<uint32_t>(tokens.size()));
  sequence.mutable_blocks()->Assign(blocks.begin(), blocks.end());
  *sequence.mutable_sampling() = GreedySampling();
  return sequence;
}

PlanWriter::PlanWriter(uint64_t step_id, uint64_t epoch) {
  plan_.set_step_id(step_id);
  plan_.set_epoch(epoch);
}

PlanWriter& PlanWriter::Fork(const ForkOf& fork) {
  worker::v1::Fork& added = *plan_.add_forks();
  added.set_parent(fork.parent);
  added.set_child(fork.child);
  added.set_num_tokens(fork.num_tokens);
  added.mutable_tokens()->Assign(fork.tokens.begin(), fork.tokens.end());
  added.set_seed(fork.seed);
  return *this;
}

PlanWriter& PlanWriter::Release(uint64_t sequence) {
  plan_.add_released(sequence);
  return *this;
}

PlanWriter& PlanWriter::Add(const NewSequence& sequence) {
  *plan_.add_new_sequences() = sequence;
  return *this;
}

PlanWriter& PlanWriter::Edit(uint64_t sequence, uint32_t keep,
                             const std::vector<uint32_t>& appended) {
  worker::v1::TableEdits& edits = *plan_.mutable_table_edits();
  edits.add_sequence(sequence);
  edits.add_keep(keep);
  edits.add_num_appended(static_cast<uint32_t>(appended.size()));
  edits.mutable_appended()->Add(appended.begin(), appended.end());
  return *this;
}

PlanWriter& PlanWriter::SwapOut(uint32_t block, uint32_t host_block) {
  plan_.mutable_swaps_out()->add_source(block);
  plan_.mutable_swaps_out()->add_destination(host_block);
  return *this;
}

PlanWriter& PlanWriter::SwapIn(uint32_t host_block, uint32_t block) {
  plan_.mutable_swaps_in()->add_source(host_block);
  plan_.mutable_swaps_in()->add_destination(block);
  return *this;
}

PlanWriter& PlanWriter::Copy(uint32_t source, uint32_t destination,
                             uint32_t num_slots) {
  worker::v1::BlockCopies& copies = *plan_.mutable_copies();
  copies.add_source(source);
  copies.add_destination(destination);
  copies.add_num_slots(num_slots);
  return *this;
}

PlanWriter& PlanWriter::Run(const RunOf& run) {
  worker::v1::Runs& runs = *plan_.mutable_runs();
  runs.add_sequence(run.sequence);
  runs.add_slot(run.slot);
  runs.add_position(run.slot);
  const auto num_drafts = static_cast<uint32_t>(run.drafts.size());
  runs.add_num_rows(run.num_rows + num_drafts);
  if (num_drafts > 0) {  // Those before it have none.
    runs.mutable_num_drafts()->Resize(runs.sequence_size() - 1, 0);
  }
  if (num_drafts > 0 || runs.num_drafts_size() > 0) {
    runs.add_num_drafts(num_drafts);
  }
  runs.mutable_draft_tokens()->Add(run.drafts.begin(), run.drafts.end());
  runs.add_samples(run.samples);
  runs.add_prompt_logprobs(run.prompt_logprobs);
  return *this;
}

}  // namespace quire::testing
