// How long the scheduler takes for a step of many decodes, without a worker:
// plan and commit, microseconds each.
//
//   bazel run //tests/bench/scheduler:plan_benchmark [sequences [steps]]

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "absl/time/clock.h"
#include "common/check.h"
#include "scheduler/engine/engine_metrics.h"
#include "scheduler/engine/scheduler.h"
#include "scheduler/metrics/metric_registry.h"

namespace quire {
namespace {

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

void SubmitAll(Scheduler& scheduler, uint32_t num_sequences,
               uint32_t max_tokens) {
  for (uint32_t i = 1; i <= num_sequences; ++i) {
    GenerationRequest request;
    request.id = RequestId(i);
    request.prompt.assign(128, 7);
    request.max_tokens = max_tokens;
    request.mailbox = std::make_shared<Mailbox>([] {});
    scheduler.Submit(std::move(request), absl::Now());
  }
}

struct Times {
  absl::Duration plan;
  absl::Duration commit;
  absl::Duration publish;
};

// One step from plan to publish; the answer is not timed.
void RunStep(Scheduler& scheduler, Outbox& outbox, Times& times) {
  const absl::Time start = absl::Now();
  const worker::v1::StepPlan* const plan = scheduler.Plan(start);
  const absl::Time planned = absl::Now();
  QUIRE_CHECK(plan != nullptr);
  QUIRE_CHECK(scheduler.group()->Accept(Rank(0), AnswerTo(*plan)).ok());
  const absl::Time answered = absl::Now();
  scheduler.Commit(answered);
  const absl::Time committed = absl::Now();
  outbox.Publish();
  times.plan += planned - start;
  times.commit += committed - answered;
  times.publish += absl::Now() - committed;
}

void Measure(uint32_t num_sequences, uint32_t num_steps) {
  constexpr uint32_t kWarmUp = 100;
  MetricRegistry registry;
  const EngineMetrics metrics(&registry);
  Outbox outbox;
  Scheduler scheduler({.max_step_tokens = 128 * num_sequences,
                       .max_running_sequences = num_sequences,
                       .max_waiting_requests = num_sequences},
                      &metrics, &outbox);
  const uint32_t length = 128 + kWarmUp + num_steps + 10;
  const GroupShape shape = {.epoch = Epoch(1),
                            .num_blocks = num_sequences * (length / 16 + 2),
                            .block_size = 16,
                            .max_step_rows = 128 * num_sequences};
  scheduler.StartEpoch(
      std::make_unique<Group>(shape, std::make_shared<NoLink>(), 0),
      absl::Now());
  SubmitAll(scheduler, num_sequences, length - 128);

  Times warm_up;
  for (uint32_t i = 0; i < kWarmUp; ++i) RunStep(scheduler, outbox, warm_up);
  Times times;
  for (uint32_t i = 0; i < num_steps; ++i) RunStep(scheduler, outbox, times);
  const auto us = [&](absl::Duration time) {
    return absl::ToDoubleMicroseconds(time) / num_steps;
  };
  std::printf("%u decodes: plan %.1f us, commit %.1f us, publish %.1f us\n",
              num_sequences, us(times.plan), us(times.commit),
              us(times.publish));
}

}  // namespace
}  // namespace quire

int main(int argc, char** argv) {
  const int num_sequences = argc > 1 ? std::atoi(argv[1]) : 256;
  const int num_steps = argc > 2 ? std::atoi(argv[2]) : 2000;
  QUIRE_CHECK(num_sequences > 0 && num_steps > 0);
  quire::Measure(num_sequences, num_steps);
}
