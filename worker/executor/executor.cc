#include "worker/executor/executor.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "common/check_range.h"
#include "common/modelfile/model_config.h"
#include "common/status_macros.h"
#include "worker/model/batch.h"
#include "worker/sampler/token_history.h"
#include "worker/sampler/token_sampler.h"

namespace quire {
namespace {

using worker::v1::StepPlan;
using worker::v1::StepResult;

constexpr int64_t kMaxInt = std::numeric_limits<int32_t>::max();

// The fields that SampledTokens and PromptLogprobs have in common.
template <typename Message>
void AppendScore(const LogitRow& row, const TokenReport& scored, Message* out) {
  out->add_sequence(row.sequence->id.value());
  out->add_position(row.position);
  out->add_logprob(scored.logprob);
  out->add_num_top(static_cast<uint32_t>(scored.top.size()));
  for (const TokenLogprob& t : scored.top) {
    out->add_top_token(t.token);
    out->add_top_logprob(t.logprob);
  }
}

// The system may promise less than was offered to the scheduler.
absl::Status WithLimit(const absl::Status& status, absl::string_view flag,
                       int64_t bytes) {
  if (!absl::IsResourceExhausted(status)) return status;
  return absl::ResourceExhaustedError(absl::StrCat(
      status.message(), "; ", flag, " allows ", bytes, ", and can be less"));
}

// The same in every process, unlike absl::Hash (FNV-1a, after the size).
uint64_t Digest(uint64_t start, std::span<const std::byte> bytes) {
  constexpr uint64_t kPrime = 0x100000001b3;
  uint64_t digest = (start ^ bytes.size()) * kPrime;
  for (const std::byte byte : bytes) {
    digest = (digest ^ static_cast<uint64_t>(byte)) * kPrime;
  }
  return digest;
}

// Rows of a sequence are neighbours, so it is named once.
void AddFailed(SequenceId sequence, StepResult* result) {
  const auto& failed = result->failed_sequences();
  if (!failed.empty() && failed[failed.size() - 1] == sequence.value()) return;
  result->add_failed_sequences(sequence.value());
}

}  // namespace

class Executor::Stopwatch {
 public:
  explicit Stopwatch(const Clock* clock)
      : clock_(clock), start_(clock->Now()) {}

  // Nanoseconds since the last lap or the start; 0 where the clock was set
  // back.
  uint64_t Lap() {
    const absl::Time now = clock_->Now();
    const int64_t ns = absl::ToInt64Nanoseconds(now - start_);
    start_ = now;
    return static_cast<uint64_t>(std::max<int64_t>(ns, 0));
  }

 private:
  const Clock* const clock_;
  absl::Time start_;
};

Executor::Executor(Model* model, ThreadPool* pool, Communicator* communicator,
                   const Clock* clock, const ExecutorOptions& options)
    : model_(model),
      communicator_(communicator),
      clock_(clock),
      options_(options),
      scorer_(pool, model->config().vocabulary_size, model->logits_stride()) {}

absl::Status Executor::Begin(const EpochSetup& setup) {
  End();
  QUIRE_RETURN_IF_ERROR(CheckShape(setup));
  QUIRE_RETURN_IF_ERROR(communicator_->Form(setup.epoch, setup.rendezvous));
  const auto block_size = static_cast<int>(setup.block_size);
  const auto max_rows = static_cast<int>(setup.max_step_rows);
  QUIRE_RETURN_IF_ERROR(AllocateMemory(setup));
  const ModelConfig& config = model_->config();
  session_ = std::make_unique<Session>(Session{
      .epoch = setup.epoch,
      .last_step = StepId(0),
      .store = SequenceStore({.vocabulary_size = config.vocabulary_size,
                              .context_length = config.context_length,
                              .num_blocks = setup.num_blocks}),
      .written = WrittenSlots(block_size, setup.num_blocks),
      .swaps = SwapReader(setup.num_blocks, setup.num_host_blocks),
      .copies = CopyReader(block_size, setup.num_blocks),
      .builder = BatchBuilder({.block_size = block_size,
                               .num_blocks = setup.num_blocks,
                               .max_rows = max_rows,
                               .context_length = config.context_length,
                               .vocabulary_size = config.vocabulary_size})});
  is_broken_ = false;
  logits_.resize(std::min(options_.logit_rows_at_once, max_rows) *
                 model_->logits_stride());
  return absl::OkStatus();
}

void Executor::End() {
  session_ = nullptr;
  communicator_->Leave();
}

absl::Status Executor::CheckShape(const EpochSetup& setup) const {
  const int64_t block_size = setup.block_size;
  QUIRE_RETURN_IF_ERROR(
      CheckRange("welcome.block_size", setup.block_size, 1, kMaxInt));
  if (block_size % model_->block_size_multiple() != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "welcome.block_size is ", block_size, ", must be a multiple of ",
        model_->block_size_multiple()));
  }
  const auto num_that_fit = [&](int64_t bytes) {
    return std::min(kMaxCacheSlots, bytes / model_->bytes_per_slot()) /
           block_size;
  };
  QUIRE_RETURN_IF_ERROR(CheckRange("welcome.num_blocks", setup.num_blocks, 1,
                                   num_that_fit(options_.kv_cache_bytes)));
  QUIRE_RETURN_IF_ERROR(CheckRange("welcome.num_host_blocks",
                                   setup.num_host_blocks, 0,
                                   num_that_fit(options_.host_kv_bytes)));
  return CheckRange(
      "welcome.max_step_rows", setup.max_step_rows, 1,
      options_.max_step_rows > 0 ? options_.max_step_rows : kMaxInt);
}

absl::Status Executor::AllocateMemory(const EpochSetup& setup) {
  QUIRE_RETURN_IF_ERROR(
      WithLimit(model_->AllocateKvCache(static_cast<int>(setup.block_size),
                                        static_cast<int>(setup.num_blocks),
                                        static_cast<int>(setup.max_step_rows)),
                "--kv_cache_memory", options_.kv_cache_bytes));
  model_->MakeCacheResident(options_.resident_kv_bytes);
  return WithLimit(
      model_->AllocateHostBlocks(static_cast<int>(setup.num_host_blocks)),
      "--host_kv_memory", options_.host_kv_bytes);
}

absl::Status Executor::Execute(const StepPlan& plan, StepResult* result) {
  result->Clear();
  result->set_step_id(plan.step_id());
  result->set_epoch(plan.epoch());
  absl::Status status = CheckOrder(plan);
  if (status.ok()) status = Run(plan, result);
  is_broken_ = !status.ok();
  // The other ranks need not wait for what this one was to send.
  if (is_broken_) communicator_->Leave();
  return status;
}

absl::Status Executor::CheckOrder(const StepPlan& plan) const {
  if (session_ == nullptr) {
    return absl::FailedPreconditionError("a plan before an epoch has begun");
  }
  if (is_broken_) {
    return absl::FailedPreconditionError(
        absl::StrCat("step ", plan.step_id(), " comes after a plan of epoch ",
                     session_->epoch.value(), " that failed"));
  }
  if (Epoch(plan.epoch()) != session_->epoch) {
    return absl::FailedPreconditionError(
        absl::StrCat("a plan of epoch ", plan.epoch(), " in epoch ",
                     session_->epoch.value()));
  }
  if (StepId(plan.step_id()) != session_->last_step.Next()) {
    return absl::FailedPreconditionError(
        absl::StrCat("step ", plan.step_id(), " does not follow step ",
                     session_->last_step.value()));
  }
  return absl::OkStatus();
}

absl::Status Executor::Run(const StepPlan& plan, StepResult* result) {
  session_->last_step = StepId(plan.step_id());
  Stopwatch stopwatch(clock_);
  QUIRE_RETURN_IF_ERROR(Prepare(plan));
  result->mutable_timings()->set_prepare_ns(stopwatch.Lap());
  MoveBlocks();
  result->mutable_timings()->set_swap_ns(stopwatch.Lap());
  QUIRE_RETURN_IF_ERROR(Compute());
  result->mutable_timings()->set_execute_ns(stopwatch.Lap());
  QUIRE_RETURN_IF_ERROR(ScoreRows(&stopwatch, result));
  QUIRE_RETURN_IF_ERROR(KeepSampled());
  return options_.checks_agreement ? CheckAgreement() : absl::OkStatus();
}

absl::Status Executor::Prepare(const StepPlan& plan) {
  QUIRE_RETURN_IF_ERROR(session_->store.Apply(plan));
  QUIRE_RETURN_IF_ERROR(
      session_->swaps.ReadOut(plan.swaps_out(), session_->written));
  QUIRE_RETURN_IF_ERROR(
      session_->swaps.ReadIn(plan.swaps_in(), &session_->written));
  QUIRE_RETURN_IF_ERROR(
      session_->copies.Read(plan.copies(), &session_->written));
  return session_->builder.Build(StepId(plan.step_id()), plan.runs(),
                                 &session_->store, &session_->written);
}

void Executor::MoveBlocks() {
  const std::span<const BlockSwap> out = session_->swaps.swaps_out();
  const std::span<const BlockSwap> in = session_->swaps.swaps_in();
  const std::span<const BlockCopy> copies = session_->copies.copies();
  if (!out.empty()) model_->SwapOut(out);
  if (!in.empty()) model_->SwapIn(in);
  if (!copies.empty()) model_->CopyBlocks(copies);
}

absl::Status Executor::Compute() {
  const Batch& batch = session_->builder.batch();
  return batch.num_rows() > 0 ? model_->Forward(batch) : absl::OkStatus();
}

absl::Status Executor::ScoreRows(Stopwatch* stopwatch, StepResult* result) {
  sampled_.clear();
  DraftCheck check;
  const bool samples = communicator_->rank() == Rank(0);
  const std::span<const LogitRow> rows = session_->builder.logit_rows();
  worker::v1::StepTimings* const timings = result->mutable_timings();
  const size_t at_once = options_.logit_rows_at_once;
  for (size_t first = 0; first < rows.size(); first += at_once) {
    const auto slice =
        rows.subspan(first, std::min(at_once, rows.size() - first));
    QUIRE_RETURN_IF_ERROR(model_->ComputeLogits(static_cast<int>(first),
                                                static_cast<int>(slice.size()),
                                                logits_.data()));
    timings->set_execute_ns(timings->execute_ns() + stopwatch->Lap());
    if (!samples) continue;
    scorer_.Score(slice, logits_.data());
    Report(slice, check, result);
    timings->set_sample_ns(timings->sample_ns() + stopwatch->Lap());
  }
  return absl::OkStatus();
}

void Executor::Report(std::span<const LogitRow> rows, DraftCheck& check,
                      StepResult* result) {
  for (size_t i = 0; i < rows.size(); ++i) {
    const TokenReport& scored = scorer_.scored()[i];
    if (rows[i].is_sampled) {
      sampled_.push_back(scored.token);
      if (!check.Counts(rows[i], scored.token)) continue;
      AppendScore(rows[i], scored, result->mutable_sampled());
      result->mutable_sampled()->add_token(scored.token);
    } else {
      AppendScore(rows[i], scored, result->mutable_prompt_logprobs());
    }
    if (scorer_.failed(i)) AddFailed(rows[i].sequence->id, result);
  }
}

absl::Status Executor::KeepSampled() {
  const std::span<const LogitRow> rows = session_->builder.logit_rows();
  sampled_.resize(
      std::count_if(rows.begin(), rows.end(),
                    [](const LogitRow& row) { return row.is_sampled; }));
  if (sampled_.empty()) return absl::OkStatus();
  QUIRE_RETURN_IF_ERROR(communicator_->Broadcast(
      CollectiveUse::kTokens, std::as_writable_bytes(std::span(sampled_))));
  const int64_t vocabulary_size = model_->config().vocabulary_size;
  DraftCheck check;
  auto token = sampled_.begin();
  for (const LogitRow& row : rows) {
    if (!row.is_sampled) continue;
    if (*token < 0 || *token >= vocabulary_size) {
      return absl::InternalError(absl::StrCat(
          "sequence ", row.sequence->id.value(), ": rank 0 sent token ", *token,
          ", the vocabulary has ", vocabulary_size));
    }
    if (check.Counts(row, *token)) row.sequence->history.Append(*token);
    ++token;
  }
  return absl::OkStatus();
}

absl::Status Executor::CheckAgreement() {
  const Batch& batch = session_->builder.batch();
  uint64_t own = 0;
  for (const auto numbers : {std::as_bytes(std::span(batch.tokens)),
                             std::as_bytes(std::span(batch.positions)),
                             std::as_bytes(std::span(batch.slots)),
                             std::as_bytes(std::span(batch.run_rows)),
                             std::as_bytes(std::span(batch.run_blocks)),
                             std::as_bytes(std::span(batch.blocks)),
                             std::as_bytes(std::span(batch.logit_rows)),
                             std::as_bytes(std::span(sampled_))}) {
    own = Digest(own, numbers);
  }
  uint64_t of_rank_zero = own;
  QUIRE_RETURN_IF_ERROR(communicator_->Broadcast(
      CollectiveUse::kAgreement,
      std::as_writable_bytes(std::span(&of_rank_zero, 1))));
  if (own == of_rank_zero) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(
      "step ", session_->last_step.value(), ": rank ",
      communicator_->rank().value(), " has another batch than rank 0"));
}

}  // namespace quire
