#include "tests/testing/puppets/puppet_rank.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tests/testing/puppets/puppet_model.h"

namespace quire {
namespace {

// Tokens that the last rows of a run are to read.
std::span<const Token> DraftsOf(const worker::v1::Runs& runs, int index) {
  if (runs.num_drafts_size() == 0) return {};
  const auto first = runs.num_drafts().begin();
  return std::span(runs.draft_tokens().data(), runs.draft_tokens_size())
      .subspan(std::accumulate(first, first + index, 0u),
               runs.num_drafts(index));
}

}  // namespace

PuppetRank::PuppetRank(const GroupShape& shape, Rank rank)
    : shape_(shape),
      rank_(rank),
      slots_(uint64_t{shape.num_blocks} * shape.block_size, 0) {}

void PuppetRank::HeldSequence::Append(Token token) {
  prefixes.push_back(
      ExtendPrefix(prefixes.empty() ? kNoPrefix : prefixes.back(), token));
  tokens.push_back(token);
}

void PuppetRank::HeldSequence::Truncate(size_t num_tokens) {
  prefixes.resize(num_tokens);
  tokens.resize(num_tokens);
}

bool PuppetRank::Expect(bool condition, const std::string& what) {
  if (!condition)
    violations_.push_back(absl::StrCat("step ", step_, ": ", what));
  return condition;
}

worker::v1::StepResult PuppetRank::Execute(const worker::v1::StepPlan& plan) {
  CheckName(plan);
  for (const auto& fork : plan.forks()) Fork(fork);
  for (uint64_t id : plan.released()) {
    Expect(sequences_.erase(id) == 1, absl::StrCat("released unknown ", id));
  }
  for (const auto& added : plan.new_sequences()) Add(added);
  Edit(plan.table_edits());
  const uint32_t swapped_before = num_swaps_;
  SwapOut(plan.swaps_out());
  SwapIn(plan.swaps_in());
  Copy(plan.copies());
  worker::v1::StepResult result;
  result.set_step_id(plan.step_id());
  result.set_epoch(plan.epoch());
  result.mutable_timings()->set_swap_ns(1000 * (num_swaps_ - swapped_before));
  Compute(plan.runs(), result);
  if (rank_ != Rank(0)) {
    result.clear_sampled();
    result.clear_prompt_logprobs();
  }
  return result;
}

void PuppetRank::CheckName(const worker::v1::StepPlan& plan) {
  ++step_;
  Expect(plan.step_id() == step_, absl::StrCat("id is ", plan.step_id()));
  Expect(plan.epoch() == shape_.epoch.value(),
         absl::StrCat("epoch is ", plan.epoch()));
}

void PuppetRank::Add(const worker::v1::NewSequence& added) {
  auto [entry, is_new] = sequences_.try_emplace(added.sequence());
  Expect(is_new, absl::StrCat("new sequence ", added.sequence(), " is held"));
  HeldSequence& sequence = entry->second;
  for (Token token : added.tokens()) sequence.Append(token);
  sequence.prompt_length = added.prompt_length();
  sequence.seed = added.sampling().seed();
  sequence.num_top = added.sampling().top_logprobs();
  sequence.blocks.assign(added.blocks().begin(), added.blocks().end());
}

void PuppetRank::Fork(const worker::v1::Fork& fork) {
  const HeldSequence* const parent = Held(fork.parent());
  if (parent == nullptr) return;
  HeldSequence child;
  Expect(fork.num_tokens() >= parent->prompt_length &&
             fork.num_tokens() <= parent->tokens.size(),
         "a fork of tokens that the parent does not have");
  for (uint32_t i = 0; i < fork.num_tokens(); ++i) {
    child.Append(parent->tokens[i]);
  }
  for (Token token : fork.tokens()) child.Append(token);
  child.prompt_length = parent->prompt_length;
  child.blocks = parent->blocks;
  child.seed = fork.seed();
  child.num_top = parent->num_top;
  Expect(sequences_.try_emplace(fork.child(), std::move(child)).second,
         absl::StrCat("forked sequence ", fork.child(), " is held"));
}

void PuppetRank::CheckSwaps(
    const google::protobuf::RepeatedField<uint32_t>& blocks,
    const google::protobuf::RepeatedField<uint32_t>& host_blocks) {
  const auto num_distinct = [](const auto& ids) {
    return static_cast<int>(std::set<uint32_t>(ids.begin(), ids.end()).size());
  };
  Expect(blocks.size() == host_blocks.size(), "a swap has one end");
  Expect(num_distinct(blocks) == blocks.size(), "a block is swapped twice");
  Expect(num_distinct(host_blocks) == host_blocks.size(),
         "a host block is swapped twice");
  for (const uint32_t block : blocks) {
    Expect(block < shape_.num_blocks, "an unknown block is swapped");
  }
  for (const uint32_t block : host_blocks) {
    Expect(block < shape_.num_host_blocks, "an unknown host block is swapped");
  }
  num_swaps_ += static_cast<uint32_t>(blocks.size());
}

void PuppetRank::SwapOut(const worker::v1::Swaps& swaps) {
  CheckSwaps(swaps.source(), swaps.destination());
  for (int i = 0; i < swaps.source_size(); ++i) {
    const auto first = slots_.begin() + swaps.source(i) * shape_.block_size;
    host_blocks_[swaps.destination(i)].assign(first, first + shape_.block_size);
  }
}

void PuppetRank::SwapIn(const worker::v1::Swaps& swaps) {
  CheckSwaps(swaps.destination(), swaps.source());
  for (int i = 0; i < swaps.source_size(); ++i) {
    const auto content = host_blocks_.find(swaps.source(i));
    if (!Expect(content != host_blocks_.end(), "an empty host block")) return;
    std::ranges::copy(content->second, slots_.begin() + swaps.destination(i) *
                                                            shape_.block_size);
  }
}

void PuppetRank::Copy(const worker::v1::BlockCopies& copies) {
  std::set<uint32_t> sources(copies.source().begin(), copies.source().end());
  for (int i = 0; i < copies.source_size(); ++i) {
    Expect(!sources.contains(copies.destination(i)),
           "a copy's destination is a source");
    Expect(copies.num_slots(i) < shape_.block_size, "a whole block is copied");
    for (uint32_t slot = 0; slot < copies.num_slots(i); ++slot) {
      slots_[copies.destination(i) * shape_.block_size + slot] =
          slots_[copies.source(i) * shape_.block_size + slot];
    }
    ++num_copies_;
  }
}

void PuppetRank::Edit(const worker::v1::TableEdits& edits) {
  auto next = edits.appended().begin();
  for (int i = 0; i < edits.sequence_size(); ++i) {
    HeldSequence* const sequence = Held(edits.sequence(i));
    if (sequence == nullptr) return;
    Expect(edits.keep(i) <= sequence->blocks.size(),
           "keeps more than there is");
    sequence->blocks.resize(edits.keep(i));
    for (uint32_t n = 0; n < edits.num_appended(i); ++n) {
      sequence->blocks.push_back(*next++);
    }
  }
  Expect(next == edits.appended().end(), "appends more than it says");
}

void PuppetRank::Compute(const worker::v1::Runs& runs,
                         worker::v1::StepResult& result) {
  uint32_t num_rows = 0;
  std::vector<uint64_t> seen(runs.sequence().begin(), runs.sequence().end());
  std::ranges::sort(seen);
  Expect(std::ranges::adjacent_find(seen) == seen.end(),
         "a sequence has two runs");
  for (int i = 0; i < runs.sequence_size(); ++i) {
    num_rows += runs.num_rows(i);
    ComputeRun(runs, i, result);
  }
  result.mutable_timings()->set_execute_ns(1000 * num_rows);
  Expect(num_rows > 0, "nothing to compute");
  Expect(num_rows <= shape_.max_step_rows, "too many rows");
}

void PuppetRank::ComputeRun(const worker::v1::Runs& runs, int index,
                            worker::v1::StepResult& result) {
  const uint64_t id = runs.sequence(index);
  HeldSequence* const sequence = Held(id);
  if (sequence == nullptr) return;
  const uint32_t begin = runs.position(index);
  const uint32_t end = begin + runs.num_rows(index);
  const std::span<const Token> drafts = DraftsOf(runs, index);
  const uint32_t known_end = end - static_cast<uint32_t>(drafts.size());
  const uint32_t known = static_cast<uint32_t>(sequence->tokens.size());
  Expect(runs.slot(index) == begin, "slot and position differ");
  Expect((runs.samples(index) == 1) == (known_end == known), "samples inside");
  Expect(drafts.empty() || runs.samples(index) == 1, "drafts behind nothing");
  if (!Expect(known_end > begin && known_end <= known, "a row has no token")) {
    return;
  }
  for (const Token draft : drafts) sequence->Append(draft);
  for (uint32_t position = begin; position < end; ++position) {
    ComputeRow(*sequence, position);
    const uint32_t next = position + 1;
    if (runs.prompt_logprobs(index) == 0 || next >= sequence->prompt_length) {
      continue;
    }
    auto& scores = *result.mutable_prompt_logprobs();
    scores.add_sequence(id);
    scores.add_position(next);
    scores.add_logprob(
        PuppetLogprob(sequence->prefixes[position], sequence->tokens[next]));
    scores.add_num_top(0);
  }
  if (runs.samples(index) == 0) return;
  Token sampled = Sample(id, *sequence, known, result);
  uint32_t num_right = 0;
  while (num_right < drafts.size() && sampled == drafts[num_right]) {
    sampled = Sample(id, *sequence, known + ++num_right, result);
  }
  sequence->Truncate(known + num_right);
  sequence->Append(sampled);
}

void PuppetRank::ComputeRow(const HeldSequence& sequence, uint32_t position) {
  for (uint32_t i = 0; i <= position; ++i) {
    uint64_t* const slot = Slot(sequence, i);
    if (!Expect(slot != nullptr, "a slot has no block")) return;
    if (i == position) *slot = sequence.prefixes[i];
    Expect(*slot == sequence.prefixes[i],
           absl::StrCat("row ", position, " reads foreign slot ", i));
  }
}

Token PuppetRank::Sample(uint64_t id, const HeldSequence& sequence,
                         size_t num_tokens,
                         worker::v1::StepResult& result) const {
  const uint64_t prefix = sequence.prefixes[num_tokens - 1];
  const Token token = PuppetToken(prefix, sequence.seed);
  auto& sampled = *result.mutable_sampled();
  sampled.add_sequence(id);
  sampled.add_position(static_cast<uint32_t>(num_tokens));
  sampled.add_token(token);
  sampled.add_logprob(PuppetLogprob(prefix, token));
  sampled.add_num_top(sequence.num_top);
  for (const Token top : PuppetTop(prefix, sequence.num_top)) {
    sampled.add_top_token(top);
    sampled.add_top_logprob(PuppetLogprob(prefix, top));
  }
  return token;
}

PuppetRank::HeldSequence* PuppetRank::Held(uint64_t id) {
  const auto found = sequences_.find(id);
  const bool held = found != sequences_.end();
  Expect(held, absl::StrCat("sequence ", id, " is not held"));
  return held ? &found->second : nullptr;
}

uint64_t* PuppetRank::Slot(const HeldSequence& sequence, uint32_t slot) {
  const uint32_t logical = slot / shape_.block_size;
  if (logical >= sequence.blocks.size()) return nullptr;
  const uint32_t block = sequence.blocks[logical];
  if (block >= shape_.num_blocks) return nullptr;
  return &slots_[uint64_t{block} * shape_.block_size +
                 slot % shape_.block_size];
}

}  // namespace quire
