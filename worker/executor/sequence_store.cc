#include "worker/executor/sequence_store.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "worker/sampler/sampling_params.h"

namespace quire {
namespace {

using worker::v1::NewSequence;
using worker::v1::StepPlan;
using worker::v1::TableEdits;

template <typename... Parts>
absl::Status Refuse(uint64_t sequence, const Parts&... parts) {
  return absl::InvalidArgumentError(
      absl::StrCat("sequence ", sequence, ": ", parts...));
}

}  // namespace

absl::Status SequenceStore::Apply(const StepPlan& plan) {
  QUIRE_RETURN_IF_ERROR(Release(plan));
  for (const NewSequence& sequence : plan.new_sequences()) {
    QUIRE_RETURN_IF_ERROR(Add(sequence));
  }
  return EditTables(plan.table_edits());
}

StoredSequence* SequenceStore::Find(SequenceId id) {
  const auto it = sequences_.find(id);
  return it == sequences_.end() ? nullptr : it->second.get();
}

absl::Status SequenceStore::Release(const StepPlan& plan) {
  for (const uint64_t id : plan.released()) {
    if (sequences_.erase(SequenceId(id)) == 0) {
      return Refuse(id, "released, but not held");
    }
  }
  return absl::OkStatus();
}

absl::Status SequenceStore::CheckNew(const NewSequence& sequence) const {
  const uint64_t id = sequence.sequence();
  if (sequences_.contains(SequenceId(id))) return Refuse(id, "already held");
  const int64_t num_tokens = sequence.tokens_size();
  if (num_tokens < 1 || num_tokens > limits_.context_length) {
    return Refuse(id, "has ", num_tokens, " tokens, must be 1 to ",
                  limits_.context_length);
  }
  if (int64_t{sequence.prompt_length()} > num_tokens) {
    return Refuse(id, "prompt_length is ", sequence.prompt_length(),
                  ", but it has ", num_tokens, " tokens");
  }
  for (const Token token : sequence.tokens()) {
    if (token < 0 || token >= limits_.vocabulary_size) {
      return Refuse(id, "holds token ", token, ", the vocabulary has ",
                    limits_.vocabulary_size);
    }
  }
  return absl::OkStatus();
}

absl::Status SequenceStore::Add(const NewSequence& sequence) {
  QUIRE_RETURN_IF_ERROR(CheckNew(sequence));
  absl::StatusOr<SamplingParams> params =
      SamplingParams::FromProto(sequence.sampling(), limits_.vocabulary_size);
  if (!params.ok()) {
    return Refuse(sequence.sequence(), params.status().message());
  }
  const SequenceId id(sequence.sequence());
  auto stored = std::make_unique<StoredSequence>(StoredSequence{
      .id = id,
      .history =
          TokenHistory({sequence.tokens().begin(), sequence.tokens().end()},
                       sequence.prompt_length(), *std::move(params)),
      .blocks = {},
      .last_step = StepId(0),
  });
  QUIRE_RETURN_IF_ERROR(AppendBlocks(sequence.blocks().data(),
                                     sequence.blocks_size(), stored.get()));
  sequences_.emplace(id, std::move(stored));
  return absl::OkStatus();
}

absl::Status SequenceStore::EditTables(const TableEdits& edits) {
  const int count = edits.sequence_size();
  if (edits.keep_size() != count || edits.num_appended_size() != count) {
    return absl::InvalidArgumentError(absl::StrCat(
        "table_edits has ", count, " sequences, ", edits.keep_size(),
        " keep and ", edits.num_appended_size(), " num_appended"));
  }
  const uint32_t* next = edits.appended().data();
  size_t left = edits.appended_size();
  for (int i = 0; i < count; ++i) {
    StoredSequence* const sequence = Find(SequenceId(edits.sequence(i)));
    if (sequence == nullptr) {
      return Refuse(edits.sequence(i), "its table is edited, but not held");
    }
    if (edits.keep(i) > sequence->blocks.size()) {
      return Refuse(edits.sequence(i), "keeps ", edits.keep(i),
                    " entries of a table of ", sequence->blocks.size());
    }
    if (edits.num_appended(i) > left) {
      return Refuse(edits.sequence(i), "appends ", edits.num_appended(i),
                    " blocks, table_edits.appended has ", left, " left");
    }
    sequence->blocks.resize(edits.keep(i));
    QUIRE_RETURN_IF_ERROR(AppendBlocks(next, edits.num_appended(i), sequence));
    next += edits.num_appended(i);
    left -= edits.num_appended(i);
  }
  if (left == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "table_edits.appended has ", left, " blocks that belong to no edit"));
}

absl::Status SequenceStore::AppendBlocks(const uint32_t* blocks, size_t count,
                                         StoredSequence* sequence) {
  const uint64_t id = sequence->id.value();
  if (sequence->blocks.size() + count > limits_.num_blocks) {
    return Refuse(id, "has a table of ", sequence->blocks.size() + count,
                  " blocks, there are ", limits_.num_blocks);
  }
  in_table_.Clear();
  for (const BlockId block : sequence->blocks) in_table_.Mark(block);
  for (size_t i = 0; i < count; ++i) {
    if (blocks[i] >= limits_.num_blocks) {
      return Refuse(id, "names block ", blocks[i], ", there are ",
                    limits_.num_blocks);
    }
    if (!in_table_.Mark(BlockId(blocks[i]))) {
      return Refuse(id, "names block ", blocks[i], " twice in its table");
    }
    sequence->blocks.emplace_back(blocks[i]);
  }
  return absl::OkStatus();
}

}  // namespace quire
