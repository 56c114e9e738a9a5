#include "worker/executor/sequence_store.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "worker/sampler/sampling_params.h"

namespace quire {
namespace {

using worker::v1::Fork;
using worker::v1::NewSequence;
using worker::v1::StepPlan;
using worker::v1::TableEdits;

template <typename... Parts>
absl::Status Refuse(uint64_t sequence, const Parts&... parts) {
  return absl::InvalidArgumentError(
      absl::StrCat("sequence ", sequence, ": ", parts...));
}

// Of a NewSequence or a Fork.
template <typename Message>
std::span<const Token> TokensOf(const Message& message) {
  return {message.tokens().data(), static_cast<size_t>(message.tokens_size())};
}

}  // namespace

absl::Status SequenceStore::Apply(const StepPlan& plan) {
  QUIRE_RETURN_IF_ERROR(AddForks(plan));
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

// All children are made before the first is held: no child is a parent.
absl::Status SequenceStore::AddForks(const StepPlan& plan) {
  std::vector<std::unique_ptr<StoredSequence>> children;
  children.reserve(plan.forks_size());
  for (const Fork& fork : plan.forks()) {
    QUIRE_ASSIGN_OR_RETURN(std::unique_ptr<StoredSequence> child,
                           MakeChild(fork));
    children.push_back(std::move(child));
  }
  for (std::unique_ptr<StoredSequence>& child : children) {
    const SequenceId id = child->id;
    if (!sequences_.emplace(id, std::move(child)).second) {
      return Refuse(id.value(), "already held");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<StoredSequence>> SequenceStore::MakeChild(
    const Fork& fork) const {
  const auto it = sequences_.find(SequenceId(fork.parent()));
  if (it == sequences_.end()) {
    return Refuse(fork.parent(), "forked, but not held");
  }
  const StoredSequence& parent = *it->second;
  const TokenHistory& history = parent.history;
  const int64_t num_kept = fork.num_tokens();
  if (num_kept < history.prompt_length() || num_kept > history.size()) {
    return Refuse(fork.child(), "begins with ", num_kept,
                  " tokens of sequence ", fork.parent(), ", must be ",
                  history.prompt_length(), " to ", history.size());
  }
  QUIRE_RETURN_IF_ERROR(
      CheckTokens(fork.child(), num_kept + fork.tokens_size(), TokensOf(fork)));
  const std::span<const Token> kept = history.tokens().first(num_kept);
  std::vector<Token> tokens(kept.begin(), kept.end());
  tokens.insert(tokens.end(), fork.tokens().begin(), fork.tokens().end());
  SamplingParams params = history.params();
  params.seed = fork.seed();
  return std::make_unique<StoredSequence>(StoredSequence{
      .id = SequenceId(fork.child()),
      .history = TokenHistory(std::move(tokens), history.prompt_length(),
                              std::move(params)),
      .blocks = parent.blocks,
      .last_step = StepId(0),
  });
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
  QUIRE_RETURN_IF_ERROR(CheckTokens(id, num_tokens, TokensOf(sequence)));
  if (int64_t{sequence.prompt_length()} <= num_tokens) return absl::OkStatus();
  return Refuse(id, "prompt_length is ", sequence.prompt_length(),
                ", but it has ", num_tokens, " tokens");
}

absl::Status SequenceStore::CheckTokens(uint64_t sequence, int64_t num_tokens,
                                        std::span<const Token> tokens) const {
  if (num_tokens < 1 || num_tokens > limits_.context_length) {
    return Refuse(sequence, "has ", num_tokens, " tokens, must be 1 to ",
                  limits_.context_length);
  }
  for (const Token token : tokens) {
    if (token >= 0 && token < limits_.vocabulary_size) continue;
    return Refuse(sequence, "holds token ", token, ", the vocabulary has ",
                  limits_.vocabulary_size);
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
