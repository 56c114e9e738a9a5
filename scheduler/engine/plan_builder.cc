#include "scheduler/engine/plan_builder.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/check.h"

namespace quire {

void PlanBuilder::Release(const Sequence& sequence) {
  if (sequence.told()) released_.push_back(sequence.id());
}

void PlanBuilder::StartOver() {
  released_.clear();
  swaps_.Clear();
  copy_sources_.clear();
  runs_.clear();
  drafts_.clear();
  plan_.Clear();
}

worker::v1::StepPlan& PlanBuilder::plan() {
  if (std::exchange(finished_, false)) plan_.Clear();
  return plan_;
}

void PlanBuilder::AddFork(Sequence& sequence, const Sequence& parent,
                          const worker::v1::Sampling& sampling) {
  QUIRE_CHECK(!sequence.told() && runs_.empty());
  const auto tokens = sequence.tokens();
  const auto own = std::ranges::mismatch(tokens, parent.tokens()).in1;
  worker::v1::Fork& fork = *plan().add_forks();
  fork.set_parent(parent.id().value());
  fork.set_child(sequence.id().value());
  fork.set_num_tokens(static_cast<uint32_t>(own - tokens.begin()));
  fork.mutable_tokens()->Add(own, tokens.end());
  fork.set_seed(sampling.seed() + sequence.index());
  sequence.table().TellAsFork(parent.table());
  sequence.SetTold();
}

void PlanBuilder::AddSequence(Sequence& sequence,
                              const worker::v1::Sampling& sampling) {
  sequence.SetTold();
  worker::v1::NewSequence& added = *plan().add_new_sequences();
  added.set_sequence(sequence.id().value());
  added.mutable_tokens()->Add(sequence.tokens().begin(),
                              sequence.tokens().end());
  added.set_prompt_length(sequence.prompt_length());
  *added.mutable_sampling() = sampling;
  added.mutable_sampling()->set_seed(sampling.seed() + sequence.index());
  sequence.table().TakeEdit();  // The whole table is told here.
  for (const BlockRef& block : sequence.table().blocks()) {
    added.add_blocks(block.id().value());
  }
}

void PlanBuilder::AddTableEdit(Sequence& sequence) {
  const std::optional<TableEdit> edit = sequence.table().TakeEdit();
  if (!edit.has_value()) return;
  worker::v1::TableEdits& edits = *plan().mutable_table_edits();
  edits.add_sequence(sequence.id().value());
  edits.add_keep(edit->keep);
  edits.add_num_appended(static_cast<uint32_t>(edit->appended.size()));
  for (const BlockRef& block : edit->appended) {
    edits.add_appended(block.id().value());
  }
}

void PlanBuilder::AddCopy(Sequence& sequence) {
  std::optional<CopyOnWrite> copy = sequence.table().TakeCopy();
  if (!copy.has_value()) return;
  worker::v1::BlockCopies& copies = *plan().mutable_copies();
  copies.add_source(copy->source.id().value());
  copies.add_destination(copy->destination.value());
  copies.add_num_slots(copy->num_slots);
  copy_sources_.push_back(std::move(copy->source));
}

void PlanBuilder::AddRun(Sequence& sequence,
                         const worker::v1::Sampling& sampling, const Run& run,
                         std::span<const Token> drafts) {
  QUIRE_CHECK(drafts.size() == run.num_drafts);
  if (!sequence.told()) AddSequence(sequence, sampling);
  AddTableEdit(sequence);
  AddCopy(sequence);
  runs_.push_back(run);
  drafts_.insert(drafts_.end(), drafts.begin(), drafts.end());
}

// Column by column: a plan has thousands of runs.
void PlanBuilder::WriteRuns() {
  worker::v1::Runs& runs = *plan().mutable_runs();
  const auto write = [&](auto& column, auto value_of) {
    column.Resize(static_cast<int>(runs_.size()), {});
    std::ranges::transform(runs_, column.begin(), value_of);
  };
  const auto position = [](const Run& run) { return run.position; };
  write(*runs.mutable_sequence(),
        [](const Run& run) { return run.sequence.value(); });
  write(*runs.mutable_slot(), position);
  write(*runs.mutable_position(), position);
  write(*runs.mutable_num_rows(), [](const Run& run) { return run.num_rows; });
  write(*runs.mutable_samples(), [](const Run& run) { return run.samples; });
  write(*runs.mutable_prompt_logprobs(),
        [](const Run& run) { return run.num_scored > 0; });
  if (drafts_.empty()) return;
  write(*runs.mutable_num_drafts(),
        [](const Run& run) { return run.num_drafts; });
  runs.mutable_draft_tokens()->Add(drafts_.begin(), drafts_.end());
  drafts_.clear();
}

PlanBuilder::Finished PlanBuilder::Finish() {
  for (SequenceId sequence : released_) plan().add_released(sequence.value());
  released_.clear();
  swaps_.MoveTo(plan());
  WriteRuns();
  copy_sources_.clear();
  finished_ = true;
  Finished finished = {.plan = plan_, .runs = std::exchange(runs_, {})};
  runs_.reserve(finished.runs.size());  // The next plan is much like this one.
  return finished;
}

}  // namespace quire
