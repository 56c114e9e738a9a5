#ifndef QUIRE_SCHEDULER_ENGINE_ENGINE_METRICS_H_
#define QUIRE_SCHEDULER_ENGINE_ENGINE_METRICS_H_

#include <cstdint>

#include "scheduler/metrics/metric_registry.h"
#include "scheduler/policy/preemption.h"

namespace quire {

// How a request ended, as its metric counts it.
enum class Outcome {
  kStop,        // A stop token or stop string.
  kLength,      // max_tokens.
  kCancelled,   // By its client.
  kDeadline,    // Its deadline passed.
  kUnmeetable,  // Its deadline could not be met any more.
  kRefused,     // Never joined the queue.
  kError,       // Ended by us.
};

// Everything that the engine measures. Declared once; the pointers are moved by
// the engine thread and read by anyone.
struct EngineMetrics {
  explicit EngineMetrics(MetricRegistry* registry);

  // The KV cache now.
  prometheus::Gauge* free_blocks;
  prometheus::Gauge* active_blocks;
  prometheus::Gauge* cached_blocks;
  prometheus::Gauge* shared_blocks;
  prometheus::Gauge* saved_blocks;
  prometheus::Gauge* block_utilization;  // Active blocks among all.
  prometheus::Gauge* slot_utilization;   // Filled slots among those of active.
  prometheus::Gauge* free_host_blocks;
  prometheus::Gauge* used_host_blocks;

  // What becomes of blocks.
  prometheus::Counter* block_evictions;
  prometheus::Counter* block_copies;
  prometheus::Counter* blocks_swapped_out;
  prometheus::Counter* blocks_swapped_in;

  // Requests now, and as they end.
  prometheus::Gauge* running_requests;
  prometheus::Gauge* waiting_requests;
  prometheus::Gauge* waiting_tokens;
  prometheus::Counter* Requests(Outcome outcome) const;
  prometheus::Counter* Preemptions(Preemption kind) const;

  // Tokens.
  prometheus::Counter* prompt_tokens;
  prometheus::Counter* generated_tokens;
  prometheus::Counter* discarded_tokens;
  prometheus::Counter* recomputed_tokens;
  prometheus::Counter* draft_tokens;  // Guessed tokens that were computed,
  prometheus::Counter* right_draft_tokens;  // and that were right.
  prometheus::Counter* prefix_queries;      // Tokens looked for,
  prometheus::Counter* prefix_hits;         // and found.

  // Time as a client sees it.
  prometheus::Histogram* queue_time;
  prometheus::Histogram* time_to_first_token;
  prometheus::Histogram* time_between_tokens;
  // Observes that for `count` tokens.
  void ObserveTimesBetweenTokens(double seconds, uint32_t count) const;
  prometheus::Histogram* request_duration;

  // Steps, by what they hold and where their time goes.
  prometheus::Counter* steps;
  prometheus::Counter* mixed_steps;
  prometheus::Histogram* step_tokens;
  prometheus::Histogram* step_sequences;
  prometheus::Histogram* plan_time;
  prometheus::Histogram* round_trip_time;
  prometheus::Histogram* worker_prepare_time;
  prometheus::Histogram* worker_execute_time;
  prometheus::Histogram* worker_sample_time;
  prometheus::Histogram* worker_swap_time;
  prometheus::Histogram* commit_time;
  prometheus::Histogram* publish_time;

  prometheus::Counter* consistency_violations;

 private:
  prometheus::Counter* requests_[7];     // By Outcome.
  prometheus::Counter* preemptions_[2];  // By Preemption.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_ENGINE_METRICS_H_
