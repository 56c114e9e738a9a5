#ifndef QUIRE_TESTS_SCHEDULER_ENGINE_SCHEDULER_FIXTURE_H_
#define QUIRE_TESTS_SCHEDULER_ENGINE_SCHEDULER_FIXTURE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "absl/time/time.h"
#include "gtest/gtest.h"
#include "quire/worker/v1/plan.pb.h"
#include "quire/worker/v1/result.pb.h"
#include "scheduler/engine/engine_metrics.h"
#include "scheduler/engine/outbox.h"
#include "scheduler/engine/scheduler.h"
#include "scheduler/metrics/metric_registry.h"
#include "tests/scheduler/engine/ask.h"
#include "tests/testing/puppets/puppet_rank.h"
#include "tests/testing/puppets/request_probe.h"

namespace quire {

// A scheduler and one puppet, step by step: PlanStep puts a plan in flight,
// CommitStep has the puppet execute the oldest and takes its answer.
class SchedulerFixture : public testing::Test {
 protected:
  struct Client : RequestProbe {
    RequestId id;
    // What each sequence would get with the model to itself.
    std::vector<std::vector<Token>> alone;
  };

  // Of the next Start.
  EngineOptions options_ = {.pipeline_depth = 1};
  GroupShape shape_ = {.num_ranks = 1,
                       .num_blocks = 16,
                       .block_size = 4,
                       .bytes_per_block = 100,
                       .max_step_rows = 64};

  // A scheduler with a group of shape_.
  void Start();
  // The group ends, and one of shape_ follows under the next epoch.
  void Restart();

  Client& Submit(Ask ask);
  // The plan that enters flight; nullopt: there is none.
  std::optional<worker::v1::StepPlan> PlanStep();
  // What it computes; empty: there is no plan.
  worker::v1::Runs Runs();
  void CommitStep();
  // Plans as far ahead as it may, and commits, until nothing is in flight.
  void RunToEnd();

  void ExpectServed(Client& client);
  // Nothing is open, every block is free, the puppet saw no wrong plan.
  void ExpectIdle();
  uint32_t num_available() const {
    return scheduler_->group()->pool().num_available();
  }
  double discarded() const { return metrics_->discarded_tokens->Value(); }
  double preemptions() const {
    return metrics_->Preemptions(Preemption::kRecompute)->Value() +
           metrics_->Preemptions(Preemption::kSwap)->Value();
  }

  // What the puppet says that each step took.
  worker::v1::StepTimings timings_;
  absl::Time now_ = absl::UnixEpoch() + absl::Hours(1);
  std::optional<MetricRegistry> registry_;
  std::optional<EngineMetrics> metrics_;
  Outbox outbox_;
  std::optional<Scheduler> scheduler_;
  std::optional<PuppetRank> puppet_;
  std::deque<worker::v1::StepPlan> in_flight_;
  std::deque<Client> clients_;

 private:
  void StartEpoch();
  void ExpectConsistent();
};

}  // namespace quire

#endif  // QUIRE_TESTS_SCHEDULER_ENGINE_SCHEDULER_FIXTURE_H_
