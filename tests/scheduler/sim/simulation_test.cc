#include "scheduler/sim/simulation.h"

#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace quire {
namespace {

// Serves everything at once, a second a token; what it holds is twice the
// number of requests.
class SimpleSystem final : public ServingSystem {
 public:
  void Submit(ServedRequest request) override {
    num_sequences_ += request.num_sequences;
    new_.push_back(std::move(request));
  }
  absl::Duration next_event() const override {
    absl::Duration next = absl::InfiniteDuration();
    for (const auto& [end, key] : open_) next = std::min(next, end);
    return next;
  }
  void AdvanceTo(absl::Duration now) override {
    std::erase_if(open_, [&](const auto& entry) {
      if (entry.first > now) return false;
      events_.push_back({entry.second, Progress::kFirstToken});
      events_.push_back({entry.second, Progress::kFinished});
      return true;
    });
    for (const ServedRequest& request : std::exchange(new_, {})) {
      if (request.output_tokens > 100) {
        events_.push_back({request.key, Progress::kRefused});
      } else {
        open_.emplace_back(now + absl::Seconds(request.output_tokens),
                           request.key);
      }
    }
    most_open_ = std::max(most_open_, open_.size());
  }
  std::vector<ProgressEvent> TakeProgress() override {
    return std::exchange(events_, {});
  }
  Occupancy occupancy() override {
    return {.num_running = open_.size(),
            .slots = {.total = 8,
                      .allocated = 3,
                      .tokens = 2 * open_.size(),
                      .saved = 1}};
  }
  SystemTotals totals() override { return {}; }

  size_t most_open() const { return most_open_; }
  uint32_t num_sequences() const { return num_sequences_; }

 private:
  std::vector<ServedRequest> new_;
  std::vector<std::pair<absl::Duration, uint64_t>> open_;
  std::vector<ProgressEvent> events_;
  size_t most_open_ = 0;
  uint32_t num_sequences_ = 0;  // That were submitted.
};

TraceRequest At(double seconds, uint32_t output_tokens) {
  return {.arrival = absl::Seconds(seconds),
          .prompt_tokens = 1,
          .output_tokens = output_tokens};
}

TEST(SimulationTest, RequestsComeAtTheirTimeAndEndAtTheirs) {
  SimpleSystem system;
  const SimulationOutcome outcome = Simulate({At(1, 3), At(2, 1)}, system, {});
  EXPECT_EQ(outcome.requests[0].arrival, absl::Seconds(1));
  EXPECT_EQ(outcome.requests[0].finish, absl::Seconds(4));
  EXPECT_EQ(outcome.requests[1].arrival, absl::Seconds(2));
  EXPECT_EQ(outcome.requests[1].first_token, absl::Seconds(3));
  EXPECT_EQ(outcome.duration, absl::Seconds(4));
}

TEST(SimulationTest, AveragesWhileRequestsArrive) {
  SimpleSystem system;
  // One from 0, two from 1, one from 2 on; the end does not count.
  const SimulationOutcome outcome =
      Simulate({At(0, 50), At(1, 1), At(4, 50)}, system, {});
  EXPECT_DOUBLE_EQ(outcome.occupancy.num_running, (1 + 2 + 1 + 1) / 4.0);
  EXPECT_DOUBLE_EQ(outcome.occupancy.tokens, 2 * (1 + 2 + 1 + 1) / 4.0);
  EXPECT_EQ(outcome.occupancy.total, 8);
  EXPECT_DOUBLE_EQ(outcome.occupancy.saved_share(), 1 / 4.0);
}

TEST(SimulationTest, AveragesOverAllWhereAllArriveAtOnce) {
  SimpleSystem system;
  const SimulationOutcome outcome = Simulate({At(0, 1), At(0, 3)}, system, {});
  EXPECT_DOUBLE_EQ(outcome.occupancy.num_running, (2 + 1 + 1) / 3.0);
}

TEST(SimulationTest, ConcurrencyKeepsSoManyOpen) {
  SimpleSystem system;
  const Trace trace(5, At(100, 2));
  const SimulationOutcome outcome = Simulate(trace, system, {.concurrency = 2});
  EXPECT_EQ(system.most_open(), 2);
  EXPECT_EQ(outcome.duration, absl::Seconds(6));
  EXPECT_EQ(outcome.requests[4].arrival, absl::Seconds(4));
}

TEST(SimulationTest, ARequestOfSeveralSequencesIsOne) {
  SimpleSystem system;
  TraceRequest request = At(0, 2);
  request.num_sequences = 3;
  const SimulationOutcome outcome = Simulate({request}, system, {});
  EXPECT_EQ(system.most_open(), 1);
  EXPECT_EQ(system.num_sequences(), 3);
  EXPECT_EQ(outcome.requests.size(), 1);
  EXPECT_EQ(outcome.requests[0].finish, absl::Seconds(2));
}

TEST(SimulationTest, ARefusedRequestIsMarked) {
  SimpleSystem system;
  const SimulationOutcome outcome =
      Simulate({At(0, 101), At(0, 1)}, system, {});
  EXPECT_TRUE(outcome.requests[0].refused);
  EXPECT_FALSE(outcome.requests[1].refused);
}

}  // namespace
}  // namespace quire
