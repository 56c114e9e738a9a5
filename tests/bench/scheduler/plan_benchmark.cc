// How long the scheduler takes for a step of many decodes, without a worker, by
// phase. Planning and building the difference are one phase; "publish" hands
// the tokens to the streams, which run ahead of it only by the plan.
//
//   bazel run -c opt //tests/bench/scheduler:plan_benchmark -- [steps
//   [sequences
//   ...]]

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "common/check.h"
#include "common/lock_checks.h"
#include "scheduler/engine/engine_metrics.h"
#include "scheduler/engine/scheduler.h"
#include "scheduler/metrics/metric_registry.h"

namespace quire {
namespace {

constexpr uint32_t kPromptLength = 32;

class NoLink final : public GroupLink {
 public:
  void Dispatch(worker::v1::StepPlan& plan) override {}
  void Abandon(const std::string& reason) override {}
};

// One token for each run, as a rank would answer.
worker::v1::StepResult AnswerTo(const worker::v1::StepPlan& plan) {
  worker::v1::StepResult result;
  result.set_step_id(plan.step_id());
  auto& sampled = *result.mutable_sampled();
  const worker::v1::Runs& runs = plan.runs();
  for (int i = 0; i < runs.sequence_size(); ++i) {
    if (runs.samples(i) == 0) continue;
    sampled.add_sequence(runs.sequence(i));
    sampled.add_position(runs.position(i) + runs.num_rows(i));
    sampled.add_token(1);
    sampled.add_logprob(-1);
    sampled.add_num_top(0);
  }
  return result;
}

using Mailboxes = std::vector<std::shared_ptr<Mailbox>>;

Mailboxes SubmitAll(Scheduler& scheduler, uint32_t num_sequences,
                    uint32_t max_tokens) {
  Mailboxes mailboxes;
  for (uint32_t i = 1; i <= num_sequences; ++i) {
    GenerationRequest request;
    request.id = RequestId(i);
    request.prompt.assign(kPromptLength, static_cast<Token>(i));
    request.max_tokens = max_tokens;
    request.mailbox = std::make_shared<Mailbox>([] {});
    mailboxes.push_back(request.mailbox);
    scheduler.Submit(std::move(request), absl::Now());
  }
  return mailboxes;
}

// What each step took.
struct Times {
  std::vector<absl::Duration> plan;
  std::vector<absl::Duration> serialize;
  std::vector<absl::Duration> commit;
  std::vector<absl::Duration> plan_to_commit;  // The three together.
  std::vector<absl::Duration> publish;
};

// One step from plan to publish; the answer and its readers are not timed.
void RunStep(Scheduler& scheduler, Outbox& outbox, Times& times) {
  static std::string bytes;
  const absl::Time start = absl::Now();
  const worker::v1::StepPlan* const plan = scheduler.Plan(start);
  const absl::Time planned = absl::Now();
  QUIRE_CHECK(plan != nullptr);
  QUIRE_CHECK(plan->SerializeToString(&bytes));
  const absl::Time serialized = absl::Now();
  QUIRE_CHECK(scheduler.group()->Accept(Rank(0), AnswerTo(*plan)).ok());
  const absl::Time answered = absl::Now();
  scheduler.Commit(answered);
  const absl::Time committed = absl::Now();
  outbox.Publish();
  times.plan.push_back(planned - start);
  times.serialize.push_back(serialized - planned);
  times.commit.push_back(committed - answered);
  times.plan_to_commit.push_back(times.plan.back() + times.serialize.back() +
                                 times.commit.back());
  times.publish.push_back(absl::Now() - committed);
}

double QuantileUs(std::vector<absl::Duration> times, double quantile) {
  std::sort(times.begin(), times.end());
  const auto last = static_cast<double>(times.size() - 1);
  return absl::ToDoubleMicroseconds(
      times[static_cast<size_t>(quantile * last)]);
}

void Measure(uint32_t num_sequences, uint32_t num_steps) {
  constexpr uint32_t kWarmUp = 100;
  MetricRegistry registry;
  const EngineMetrics metrics(&registry);
  Outbox outbox;
  Scheduler scheduler({.max_step_tokens = kPromptLength * num_sequences,
                       .max_running_sequences = num_sequences,
                       .max_waiting_requests = num_sequences},
                      &metrics, &outbox);
  const uint32_t length = kPromptLength + kWarmUp + num_steps + 10;
  const GroupShape shape = {.epoch = Epoch(1),
                            .num_blocks = num_sequences * (length / 16 + 2),
                            .block_size = 16,
                            .max_step_rows = kPromptLength * num_sequences};
  scheduler.StartEpoch(
      std::make_unique<Group>(shape, std::make_shared<NoLink>(), 0),
      absl::Now());
  const Mailboxes mailboxes =
      SubmitAll(scheduler, num_sequences, length - kPromptLength);

  const auto run = [&](uint32_t count) {
    Times times;
    for (uint32_t i = 0; i < count; ++i) {
      RunStep(scheduler, outbox, times);
      for (const auto& mailbox : mailboxes) mailbox->TakeAll();
    }
    return times;
  };
  run(kWarmUp);
  const Times times = run(num_steps);
  std::printf("%8u", num_sequences);
  for (const auto* phase : {&times.plan, &times.serialize, &times.commit,
                            &times.plan_to_commit, &times.publish}) {
    std::printf(" %9.1f %8.1f", QuantileUs(*phase, 0.5),
                QuantileUs(*phase, 0.99));
  }
  std::printf("\n");
}

}  // namespace
}  // namespace quire

int main(int argc, char** argv) {
  quire::LeaveLockChecksToTests();
  const int num_steps = argc > 1 ? std::atoi(argv[1]) : 500;
  std::vector<int> sizes;
  for (int i = 2; i < argc; ++i) sizes.push_back(std::atoi(argv[i]));
  if (sizes.empty()) sizes = {100, 256, 1000, 2000, 5000, 10000};
  QUIRE_CHECK(num_steps > 0);
  std::printf("Microseconds a step, median and 99th percentile\n%8s", "rows");
  for (const char* phase :
       {"plan", "serialize", "commit", "together", "publish"}) {
    std::printf(" %18s", phase);
  }
  std::printf("\n");
  for (const int size : sizes) {
    QUIRE_CHECK(size > 0);
    quire::Measure(size, num_steps);
  }
}
