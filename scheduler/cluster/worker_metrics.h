#ifndef QUIRE_SCHEDULER_CLUSTER_WORKER_METRICS_H_
#define QUIRE_SCHEDULER_CLUSTER_WORKER_METRICS_H_

#include <cstdint>
#include <vector>

#include "common/ids.h"
#include "quire/worker/v1/result.pb.h"
#include "scheduler/metrics/metric_registry.h"

namespace quire {

// What the scheduler knows of each rank, labelled rank="0", ... Thread-safe.
class WorkerMetrics {
 public:
  // Every rank is exposed from the start, down.
  WorkerMetrics(MetricRegistry* metrics, uint32_t world_size);

  void SetUp(Rank rank, bool up, uint64_t kv_cache_bytes);
  void CountRefusal() { refusals_->Increment(); }
  void CountLostEpoch() { lost_epochs_->Increment(); }
  void AddTimings(Rank rank, const worker::v1::StepTimings& timings);

 private:
  struct PerRank {
    prometheus::Gauge* up;
    prometheus::Gauge* kv_cache_bytes;
    prometheus::Counter* prepare_seconds;
    prometheus::Counter* execute_seconds;
    prometheus::Counter* sample_seconds;
  };
  std::vector<PerRank> ranks_;  // [world_size]
  prometheus::Counter* refusals_;
  prometheus::Counter* lost_epochs_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_CLUSTER_WORKER_METRICS_H_
