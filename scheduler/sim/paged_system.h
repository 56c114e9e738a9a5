#ifndef QUIRE_SCHEDULER_SIM_PAGED_SYSTEM_H_
#define QUIRE_SCHEDULER_SIM_PAGED_SYSTEM_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "scheduler/engine/engine.h"
#include "scheduler/engine/engine_options.h"
#include "scheduler/metrics/metric_registry.h"
#include "scheduler/sim/cost_model.h"
#include "scheduler/sim/cpu_clock.h"
#include "scheduler/sim/modelled_group.h"
#include "scheduler/sim/serving_system.h"
#include "scheduler/sim/virtual_clock.h"

namespace quire {

// What turns of the scheduler's loop took of the processor that simulates, one
// value a step; what the group took of them is not counted.
struct SchedulerTimes {
  // Of turns that plan: new requests, choices, the difference.
  std::vector<absl::Duration> plan;
  // Of turns that commit: the result is checked, taken and published.
  std::vector<absl::Duration> commit;
};

// This project's scheduler as it is, over a modelled group: the engine turns
// when the simulation says so.
class PagedSystem final : public ServingSystem {
 public:
  struct Options {
    EngineOptions engine;
    uint32_t num_blocks = 0;
    uint32_t num_host_blocks = 0;
    uint32_t block_size = 16;
  };

  // `cost` must outlive the system. REQUIRES: options.engine is valid,
  // num_blocks and block_size are not 0.
  PagedSystem(const Options& options, const CostModel* cost);

  void Submit(ServedRequest served) override;
  absl::Duration next_event() const override;
  void AdvanceTo(absl::Duration now) override;
  std::vector<ProgressEvent> TakeProgress() override;
  Occupancy occupancy() override;
  SystemTotals totals() override;

  const SchedulerTimes& times() const { return times_; }
  const ModelledGroup& group() const { return *group_; }

 private:
  struct Client {
    std::shared_ptr<Mailbox> mailbox;
    bool has_token = false;
  };

  void TurnUntilIdle();
  bool Turn();
  void ReadMailboxes();
  void Read(uint64_t key);

  const CpuClock cpu_;
  VirtualClock clock_;
  MetricRegistry metrics_;
  absl::flat_hash_map<uint64_t, Client> clients_;  // By key.
  std::vector<uint64_t> notified_;                 // Keys, by the engine.
  std::vector<ProgressEvent> progress_;
  SchedulerTimes times_;
  const std::shared_ptr<ModelledGroup> group_;
  Engine engine_;  // Closes what is open when it ends, and notifies.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_PAGED_SYSTEM_H_
