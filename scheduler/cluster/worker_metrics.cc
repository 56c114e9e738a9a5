#include "scheduler/cluster/worker_metrics.h"

#include <string>

namespace quire {
namespace {

constexpr double kSecondsPerNanosecond = 1e-9;

prometheus::Counter* AddPhase(MetricRegistry* metrics, const std::string& rank,
                              const std::string& phase) {
  return metrics->AddCounter(
      "quire_worker_busy_seconds_total",
      "Time the rank spent on steps: preparing, executing, sampling.",
      {{"phase", phase}, {"rank", rank}});
}

}  // namespace

WorkerMetrics::WorkerMetrics(MetricRegistry* metrics, uint32_t world_size) {
  for (uint32_t i = 0; i < world_size; ++i) {
    const std::string rank = std::to_string(i);
    ranks_.push_back({
        .up = metrics->AddGauge(
            "quire_worker_up",
            "Whether the rank is attached and part of a ready group.",
            {{"rank", rank}}),
        .kv_cache_bytes = metrics->AddGauge(
            "quire_worker_kv_cache_bytes",
            "KV cache of the rank that the blocks in use by the group take.",
            {{"rank", rank}}),
        .prepare_seconds = AddPhase(metrics, rank, "prepare"),
        .execute_seconds = AddPhase(metrics, rank, "execute"),
        .sample_seconds = AddPhase(metrics, rank, "sample"),
    });
  }
  refusals_ =
      metrics->AddCounter("quire_worker_refusals_total",
                          "Workers that were refused at the handshake.");
  lost_epochs_ = metrics->AddCounter(
      "quire_lost_epochs_total",
      "Epochs that ended although the group was ready: a rank left or hung.");
}

void WorkerMetrics::SetUp(Rank rank, bool up, uint64_t kv_cache_bytes) {
  ranks_[rank.value()].up->Set(up ? 1 : 0);
  ranks_[rank.value()].kv_cache_bytes->Set(static_cast<double>(kv_cache_bytes));
}

void WorkerMetrics::AddTimings(Rank rank,
                               const worker::v1::StepTimings& timings) {
  const auto seconds = [](uint64_t ns) {
    return static_cast<double>(ns) * kSecondsPerNanosecond;
  };
  const PerRank& counters = ranks_[rank.value()];
  counters.prepare_seconds->Increment(seconds(timings.prepare_ns()));
  counters.execute_seconds->Increment(seconds(timings.execute_ns()));
  counters.sample_seconds->Increment(seconds(timings.sample_ns()));
}

}  // namespace quire
