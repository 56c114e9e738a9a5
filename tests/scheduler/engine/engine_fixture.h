#ifndef QUIRE_TESTS_SCHEDULER_ENGINE_ENGINE_FIXTURE_H_
#define QUIRE_TESTS_SCHEDULER_ENGINE_ENGINE_FIXTURE_H_

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "gtest/gtest.h"
#include "scheduler/engine/engine.h"
#include "scheduler/metrics/metric_registry.h"
#include "tests/scheduler/engine/ask.h"
#include "tests/testing/puppets/manual_clock.h"
#include "tests/testing/puppets/puppet_group.h"
#include "tests/testing/puppets/request_probe.h"

namespace quire {

// An engine that turns when the test says so, on groups of puppets. State is
// checked after every turn.
class EngineFixture : public testing::Test {
 protected:
  struct Client : RequestProbe {
    RequestId id;
    // What each sequence would get with the model to itself.
    std::vector<std::vector<Token>> alone;
  };

  // Of the next Start.
  EngineOptions options_ = {.pipeline_depth = 1,
                            .check_consistency_every_step = true};
  GroupShape shape_ = {.num_ranks = 1,
                       .num_blocks = 32,
                       .block_size = 4,
                       .bytes_per_block = 100,
                       .max_step_rows = 64};

  // An engine without a group.
  void StartEngine();
  // Puppets of shape_, under the next epoch.
  void AttachGroup();
  void Start() {
    StartEngine();
    AttachGroup();
  }

  // Submits; the engine hears of it at its next turn.
  Client& Submit(Ask ask);
  // Turns until nothing moves.
  void Settle();
  // The ranks answer their oldest plan, then the engine settles.
  void Step();
  void Steps(int count);
  // Steps until no plan is in flight.
  void RunToEnd();
  // The group's epoch ends.
  void LoseGroup();

  // The client got its whole answer, and it alone.
  void ExpectServed(Client& client);
  // Nothing is open, every block is free, the puppets saw no wrong plan.
  void ExpectIdle();

  ManualClock clock_;
  std::optional<MetricRegistry> metrics_;
  std::optional<Engine> engine_;
  std::shared_ptr<PuppetGroup> group_;  // The last one attached.
  std::deque<Client> clients_;
};

}  // namespace quire

#endif  // QUIRE_TESTS_SCHEDULER_ENGINE_ENGINE_FIXTURE_H_
