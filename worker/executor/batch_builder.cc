#include "worker/executor/batch_builder.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "worker/sampler/token_history.h"

namespace quire {
namespace {

using worker::v1::Runs;

template <typename... Parts>
absl::Status Refuse(SequenceId sequence, const Parts&... parts) {
  return absl::InvalidArgumentError(
      absl::StrCat("sequence ", sequence.value(), ": ", parts...));
}

absl::Status CheckLengths(const Runs& runs) {
  const int count = runs.sequence_size();
  for (const int size :
       {runs.slot_size(), runs.position_size(), runs.num_rows_size(),
        runs.samples_size(), runs.prompt_logprobs_size()}) {
    if (size == count) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "an array of runs has ", size, " entries, sequence has ", count));
  }
  const int num_drafts_size = runs.num_drafts_size();
  if (num_drafts_size != 0 && num_drafts_size != count) {
    return absl::InvalidArgumentError(
        absl::StrCat("runs.num_drafts has ", num_drafts_size,
                     " entries, sequence has ", count));
  }
  uint64_t num_drafts = 0;
  for (const uint32_t n : runs.num_drafts()) num_drafts += n;
  if (num_drafts == static_cast<uint64_t>(runs.draft_tokens_size())) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("runs announce ", num_drafts, " drafts and list ",
                   runs.draft_tokens_size(), " tokens"));
}

absl::Status CheckFlag(SequenceId sequence, const char* field, uint32_t value) {
  if (value <= 1) return absl::OkStatus();
  return Refuse(sequence, "runs.", field, " is ", value, ", must be 0 or 1");
}

// Appends first, first + 1, ...
void AppendRange(int64_t first, int64_t count, std::vector<int32_t>* out) {
  out->resize(out->size() + count);
  std::iota(out->end() - count, out->end(), static_cast<int32_t>(first));
}

}  // namespace

BatchBuilder::BatchBuilder(const Limits& limits)
    : limits_(limits), claimed_(limits.num_blocks), read_(limits.num_blocks) {}

absl::Status BatchBuilder::Build(StepId step, const Runs& runs,
                                 SequenceStore* store, WrittenSlots* written) {
  batch_.Clear();
  logit_rows_.clear();
  claimed_.Clear();
  read_.Clear();
  QUIRE_RETURN_IF_ERROR(CheckLengths(runs));
  batch_.run_rows.push_back(0);
  batch_.run_blocks.push_back(0);
  std::span<const Token> drafts(runs.draft_tokens().data(),
                                runs.draft_tokens_size());
  for (int i = 0; i < runs.sequence_size(); ++i) {
    const SequenceId id(runs.sequence(i));
    const size_t num_drafts =
        runs.num_drafts_size() > 0 ? runs.num_drafts(i) : 0;
    const Run run = {.sequence = store->Find(id),
                     .slot = runs.slot(i),
                     .position = runs.position(i),
                     .num_rows = runs.num_rows(i),
                     .samples = runs.samples(i) != 0,
                     .prompt_logprobs = runs.prompt_logprobs(i) != 0,
                     .drafts = drafts.first(num_drafts)};
    drafts = drafts.subspan(num_drafts);
    if (run.sequence == nullptr) return Refuse(id, "has rows, but is not held");
    if (run.sequence->last_step == step) return Refuse(id, "has two runs");
    run.sequence->last_step = step;
    QUIRE_RETURN_IF_ERROR(CheckFlag(id, "samples", runs.samples(i)));
    QUIRE_RETURN_IF_ERROR(
        CheckFlag(id, "prompt_logprobs", runs.prompt_logprobs(i)));
    QUIRE_RETURN_IF_ERROR(Check(run, *written));
    QUIRE_RETURN_IF_ERROR(Claim(run, written));
    Add(run);
  }
  return absl::OkStatus();
}

absl::Status BatchBuilder::Check(const Run& run,
                                 const WrittenSlots& written) const {
  const SequenceId id = run.sequence->id;
  const int64_t known = run.sequence->history.size();
  if (run.num_rows < 1) return Refuse(id, "has a run of no rows");
  QUIRE_RETURN_IF_ERROR(CheckDrafts(run));
  if (batch_.num_rows() + run.num_rows > limits_.max_rows) {
    return Refuse(id, "brings the step to ", batch_.num_rows() + run.num_rows,
                  " rows, at most ", limits_.max_rows, " are agreed on");
  }
  if (run.known_end() > known || run.end() > limits_.context_length) {
    return Refuse(id, "has rows up to position ", run.end(), ", knows ", known,
                  " tokens of a context of ", limits_.context_length);
  }
  if (run.samples && run.known_end() != known) {
    return Refuse(id, "samples position ", run.known_end(), ", but knows ",
                  known, " tokens");
  }
  const int64_t num_slots =
      static_cast<int64_t>(run.sequence->blocks.size()) * limits_.block_size;
  if (run.slot + run.num_rows > num_slots) {
    return Refuse(id, "writes up to slot ", run.slot + run.num_rows,
                  ", its table has ", num_slots);
  }
  if (run.slot + run.num_rows > limits_.context_length) {
    return Refuse(id, "writes up to slot ", run.slot + run.num_rows,
                  " of a context of ", limits_.context_length);
  }
  const int64_t leading = written.Leading(run.sequence->blocks, run.slot);
  if (leading < run.slot) {
    return Refuse(id, "writes from slot ", run.slot, ", only the first ",
                  leading, " slots of its table are written");
  }
  return absl::OkStatus();
}

absl::Status BatchBuilder::CheckDrafts(const Run& run) const {
  if (run.drafts.empty()) return absl::OkStatus();
  const SequenceId id = run.sequence->id;
  if (!run.samples) return Refuse(id, "has drafts in a run that samples none");
  if (run.known_end() <= run.position) {
    return Refuse(id, "has ", run.drafts.size(), " drafts in a run of ",
                  run.num_rows, " rows, must be fewer");
  }
  if (run.sequence->history.params().looks_back()) {
    return Refuse(id, "has drafts, and parameters that look at them");
  }
  for (const Token draft : run.drafts) {
    if (draft >= 0 && draft < limits_.vocabulary_size) continue;
    return Refuse(id, "has the draft ", draft, ", the vocabulary has ",
                  limits_.vocabulary_size);
  }
  return absl::OkStatus();
}

absl::Status BatchBuilder::Claim(const Run& run, WrittenSlots* written) {
  const int64_t block_size = limits_.block_size;
  const int64_t end = run.slot + run.num_rows;
  const int64_t first = run.slot / block_size;
  for (int64_t i = 0; i < first; ++i) read_.Mark(run.sequence->blocks[i]);
  for (int64_t i = first; i * block_size < end; ++i) {
    const BlockId block = run.sequence->blocks[i];
    if (!claimed_.Mark(block)) {
      return Refuse(run.sequence->id, "writes to block ", block.value(),
                    ", which this step writes already");
    }
    // It was full when the other run was checked, so this is no filling up.
    if (read_.Contains(block)) {
      return Refuse(run.sequence->id, "writes to block ", block.value(),
                    ", which another sequence of this step reads");
    }
    written->Set(block,
                 static_cast<int>(std::min(end - i * block_size, block_size)));
  }
  return absl::OkStatus();
}

void BatchBuilder::Add(const Run& run) {
  const std::span<const Token> tokens = run.sequence->history.tokens().subspan(
      run.position, run.known_end() - run.position);
  const int first_row = batch_.num_rows();
  batch_.tokens.insert(batch_.tokens.end(), tokens.begin(), tokens.end());
  batch_.tokens.insert(batch_.tokens.end(), run.drafts.begin(),
                       run.drafts.end());
  AppendRange(run.position, run.num_rows, &batch_.positions);
  AppendRange(run.slot, run.num_rows, &batch_.slots);
  batch_.run_rows.push_back(batch_.num_rows());

  // The table up to the last slot that is attended to.
  const int64_t num_blocks =
      (run.slot + run.num_rows - 1) / limits_.block_size + 1;
  const std::vector<BlockId>& table = run.sequence->blocks;
  batch_.blocks.insert(batch_.blocks.end(), table.begin(),
                       table.begin() + num_blocks);
  batch_.run_blocks.push_back(static_cast<int32_t>(batch_.blocks.size()));
  AddLogitRows(run, first_row);
}

void BatchBuilder::AddLogitRows(const Run& run, int first_row) {
  const TokenHistory& history = run.sequence->history;
  if (run.prompt_logprobs) {
    const int64_t end = std::min(run.known_end(), history.prompt_length() - 1);
    for (int64_t position = run.position; position < end; ++position) {
      batch_.logit_rows.push_back(
          static_cast<int32_t>(first_row + position - run.position));
      logit_rows_.push_back({.sequence = run.sequence,
                             .position = static_cast<uint32_t>(position + 1),
                             .is_sampled = false});
    }
  }
  if (!run.samples) return;
  const auto num_sampled = static_cast<int>(run.drafts.size()) + 1;
  AppendRange(batch_.num_rows() - num_sampled, num_sampled, &batch_.logit_rows);
  LogitRow row = {.sequence = run.sequence,
                  .position = static_cast<uint32_t>(run.known_end()),
                  .is_sampled = true};
  logit_rows_.push_back(row);
  for (const Token draft : run.drafts) {
    ++row.position;
    row.draft = draft;
    logit_rows_.push_back(row);
  }
}

}  // namespace quire
