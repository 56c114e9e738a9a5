#include "scheduler/engine/engine_metrics.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

namespace quire {
namespace {

// Powers of two, because a step's cost turns on its size in their order.
const std::vector<double> kTokenBuckets = {1,   2,   4,   8,    16,   32,  64,
                                           128, 256, 512, 1024, 2048, 4096};
const std::vector<double> kSequenceBuckets = {1,  2,  4,   8,   16,
                                              32, 64, 128, 256, 512};
// What a person waits for: ten milliseconds to ten minutes.
const std::vector<double> kWaitBuckets = {
    0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 600};
// The pace of a stream: a fast GPU's to a stall.
const std::vector<double> kPaceBuckets = {0.002, 0.005, 0.01, 0.02, 0.03,
                                          0.05,  0.075, 0.1,  0.15, 0.2,
                                          0.5,   1,     2,    5,    10};
// Ten microseconds of our own work to ten seconds of a long prompt's.
const std::vector<double> kPhaseBuckets = {
    1e-5, 2e-5, 5e-5, 1e-4, 2e-4, 5e-4, 1e-3, 2e-3, 5e-3, 0.01,
    0.02, 0.05, 0.1,  0.2,  0.5,  1,    2,    5,    10};

prometheus::Histogram* AddPhase(MetricRegistry* registry, const char* phase) {
  return registry->AddHistogram(
      "quire_step_phase_seconds",
      "Time of one step by phase. round_trip is from dispatch to the last "
      "rank's result, the step before included where that was in flight; the "
      "worker's phases are the slowest rank's.",
      kPhaseBuckets, {{"phase", phase}});
}

prometheus::Gauge* AddBlocks(MetricRegistry* registry, const char* state) {
  return registry->AddGauge("quire_blocks", "Blocks of the KV cache by state.",
                            {{"state", state}});
}

prometheus::Gauge* AddHostBlocks(MetricRegistry* registry, const char* state) {
  return registry->AddGauge(
      "quire_host_blocks",
      "Host blocks, to which blocks are swapped out, by state.",
      {{"state", state}});
}

prometheus::Counter* AddSwapped(MetricRegistry* registry,
                                const char* direction) {
  return registry->AddCounter(
      "quire_swapped_blocks_total",
      "Blocks that were copied to host blocks (out) or back (in).",
      {{"direction", direction}});
}

}  // namespace

EngineMetrics::EngineMetrics(MetricRegistry* registry)
    : free_blocks(AddBlocks(registry, "free")),
      active_blocks(AddBlocks(registry, "active")),
      cached_blocks(AddBlocks(registry, "cached")),
      shared_blocks(
          registry->AddGauge("quire_shared_blocks",
                             "Active blocks that several block tables name.")),
      saved_blocks(registry->AddGauge(
          "quire_saved_blocks",
          "Blocks that sharing saves: entries of block tables beyond the first "
          "for each block.")),
      block_utilization(registry->AddGauge(
          "quire_block_utilization_ratio",
          "Active blocks among all blocks of the KV cache.")),
      slot_utilization(registry->AddGauge(
          "quire_slot_utilization_ratio",
          "Slots that hold a token among all slots of active blocks.")),
      free_host_blocks(AddHostBlocks(registry, "free")),
      used_host_blocks(AddHostBlocks(registry, "used")),
      block_evictions(
          registry->AddCounter("quire_block_evictions_total",
                               "Cached blocks that were handed out anew.")),
      block_copies(registry->AddCounter(
          "quire_block_copies_total",
          "Shared blocks that were copied before a write.")),
      blocks_swapped_out(AddSwapped(registry, "out")),
      blocks_swapped_in(AddSwapped(registry, "in")),
      running_requests(registry->AddGauge("quire_running_requests",
                                          "Requests that hold blocks.")),
      waiting_requests(registry->AddGauge("quire_waiting_requests",
                                          "Requests in the queue.")),
      waiting_tokens(registry->AddGauge("quire_waiting_tokens",
                                        "Prompt tokens in the queue.")),
      prompt_tokens(registry->AddCounter(
          "quire_prompt_tokens_total",
          "Prompt tokens computed, repetition after preemption included.")),
      generated_tokens(registry->AddCounter("quire_generated_tokens_total",
                                            "Tokens generated.")),
      discarded_tokens(registry->AddCounter(
          "quire_discarded_tokens_total",
          "Tokens sampled for sequences that had ended or moved on.")),
      recomputed_tokens(registry->AddCounter(
          "quire_recomputed_tokens_total",
          "Rows computed for tokens that had been computed before, after a "
          "preemption or a new epoch.")),
      draft_tokens(registry->AddCounter(
          "quire_draft_tokens_total",
          "Rows computed for tokens that were guessed from the text before.")),
      right_draft_tokens(registry->AddCounter(
          "quire_right_draft_tokens_total",
          "Of these, guesses that were what was sampled: each a token gained "
          "without a step.")),
      prefix_queries(registry->AddCounter(
          "quire_prefix_query_tokens_total",
          "Prompt tokens that were looked for in the cache, each once.")),
      prefix_hits(
          registry->AddCounter("quire_prefix_hit_tokens_total",
                               "Of these, tokens whose K and V were found.")),
      queue_time(registry->AddHistogram(
          "quire_queue_time_seconds",
          "Time from a request's arrival to its first admission.",
          kWaitBuckets)),
      time_to_first_token(registry->AddHistogram(
          "quire_time_to_first_token_seconds",
          "Time from a request's arrival to its first generated token.",
          kWaitBuckets)),
      time_between_tokens(registry->AddHistogram(
          "quire_time_between_tokens_seconds",
          "Time between two generated tokens of a sequence.", kPaceBuckets)),
      request_duration(registry->AddHistogram(
          "quire_request_duration_seconds",
          "Time from a request's arrival to its regular end.", kWaitBuckets)),
      steps(registry->AddCounter("quire_steps_total", "Steps committed.")),
      mixed_steps(registry->AddCounter(
          "quire_mixed_steps_total",
          "Steps planned with both prompt and decode rows.")),
      step_tokens(registry->AddHistogram("quire_step_tokens", "Rows of a step.",
                                         kTokenBuckets)),
      step_sequences(registry->AddHistogram("quire_step_sequences",
                                            "Sequences that take part in a "
                                            "step.",
                                            kSequenceBuckets)),
      plan_time(AddPhase(registry, "plan")),
      round_trip_time(AddPhase(registry, "round_trip")),
      worker_prepare_time(AddPhase(registry, "worker_prepare")),
      worker_execute_time(AddPhase(registry, "worker_execute")),
      worker_sample_time(AddPhase(registry, "worker_sample")),
      worker_swap_time(AddPhase(registry, "worker_swap")),
      commit_time(AddPhase(registry, "commit")),
      publish_time(AddPhase(registry, "publish")),
      consistency_violations(registry->AddCounter(
          "quire_consistency_violations_total",
          "Checks of the engine's state that found it wrong.")) {
  constexpr const char* kOutcomes[] = {"stop",     "length",     "cancelled",
                                       "deadline", "unmeetable", "refused",
                                       "error"};
  static_assert(std::size(kOutcomes) == std::size(decltype(requests_){}));
  for (size_t i = 0; i < std::size(kOutcomes); ++i) {
    requests_[i] = registry->AddCounter("quire_requests_total",
                                        "Requests by how they ended.",
                                        {{"outcome", kOutcomes[i]}});
  }
  constexpr const char* kKinds[] = {"recompute", "swap"};
  static_assert(std::size(kKinds) == std::size(decltype(preemptions_){}));
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    preemptions_[i] = registry->AddCounter(
        "quire_preemptions_total",
        "Requests that gave up their blocks to an earlier one, by what becomes "
        "of their tokens: computed again, or swapped to host blocks.",
        {{"kind", kKinds[i]}});
  }
}

void EngineMetrics::ObserveTimesBetweenTokens(double seconds,
                                              uint32_t count) const {
  const auto bucket = std::ranges::lower_bound(kPaceBuckets, seconds);
  std::vector<double> counts(kPaceBuckets.size() + 1);
  counts[bucket - kPaceBuckets.begin()] = count;
  time_between_tokens->ObserveMultiple(counts, seconds * count);
}

prometheus::Counter* EngineMetrics::Requests(Outcome outcome) const {
  return requests_[static_cast<size_t>(outcome)];
}

prometheus::Counter* EngineMetrics::Preemptions(Preemption kind) const {
  return preemptions_[static_cast<size_t>(kind)];
}

}  // namespace quire
