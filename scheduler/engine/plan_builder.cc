#include "scheduler/engine/plan_builder.h"

#include <optional>

namespace quire {

void PlanBuilder::Begin() {
  plan_.Clear();
  runs_.clear();
}

void PlanBuilder::AddSequence(Sequence& sequence,
                              const worker::v1::Sampling& sampling) {
  worker::v1::NewSequence& added = *plan_.add_new_sequences();
  added.set_sequence(sequence.id().value());
  added.mutable_tokens()->Add(sequence.tokens().begin(),
                              sequence.tokens().end());
  added.set_prompt_length(sequence.prompt_length());
  *added.mutable_sampling() = sampling;
  sequence.table().TakeEdit();  // The whole table is told here.
  for (const BlockRef& block : sequence.table().blocks()) {
    added.add_blocks(block.id().value());
  }
}

void PlanBuilder::AddTableEdit(Sequence& sequence) {
  const std::optional<TableEdit> edit = sequence.table().TakeEdit();
  if (!edit.has_value()) return;
  worker::v1::TableEdits& edits = *plan_.mutable_table_edits();
  edits.add_sequence(sequence.id().value());
  edits.add_keep(edit->keep);
  edits.add_num_appended(static_cast<uint32_t>(edit->appended.size()));
  for (const BlockRef& block : edit->appended) {
    edits.add_appended(block.id().value());
  }
}

void PlanBuilder::AddRun(Sequence& sequence, const Run& run) {
  AddTableEdit(sequence);
  worker::v1::Runs& runs = *plan_.mutable_runs();
  runs.add_sequence(run.sequence.value());
  runs.add_slot(run.position);
  runs.add_position(run.position);
  runs.add_num_rows(run.num_rows);
  runs.add_samples(run.samples);
  runs.add_prompt_logprobs(run.num_scored > 0);
  runs_.push_back(run);
}

worker::v1::StepPlan& PlanBuilder::Finish() {
  for (SequenceId sequence : released_) plan_.add_released(sequence.value());
  released_.clear();
  return plan_;
}

}  // namespace quire
