#include "tests/scheduler/engine/scheduler_fixture.h"

#include <utility>

#include "gmock/gmock.h"
#include "quire/worker/v1/result.pb.h"
#include "scheduler/engine/consistency.h"

namespace quire {
namespace {

// Plans go straight to the puppet.
class NoLink final : public GroupLink {
 public:
  void Dispatch(worker::v1::StepPlan& plan) override {}
  void Abandon(const std::string& reason) override {}
};

}  // namespace

void SchedulerFixture::Start() {
  registry_.emplace();
  metrics_.emplace(&*registry_);
  scheduler_.emplace(options_, &*metrics_, &outbox_);
  StartEpoch();
}

void SchedulerFixture::Restart() {
  scheduler_->EndEpoch();
  in_flight_.clear();
  StartEpoch();
}

void SchedulerFixture::StartEpoch() {
  shape_.epoch = shape_.epoch.Next();
  puppet_.emplace(shape_, Rank(0));
  scheduler_->StartEpoch(
      std::make_unique<Group>(shape_, std::make_shared<NoLink>(),
                              options_.shuffle_free_blocks_seed),
      now_);
  outbox_.Publish();
}

SchedulerFixture::Client& SchedulerFixture::Submit(Ask ask) {
  Client& client = clients_.emplace_back();
  client.id = RequestId(clients_.size());
  client.alone = AnswerAlone(ask);
  scheduler_->Submit(MakeRequest(client.id, std::move(ask), client.mailbox()),
                     now_);
  outbox_.Publish();
  return client;
}

void SchedulerFixture::ExpectConsistent() {
  const absl::Status consistent = CheckConsistency(*scheduler_);
  EXPECT_TRUE(consistent.ok()) << consistent;
}

std::optional<worker::v1::StepPlan> SchedulerFixture::PlanStep() {
  const worker::v1::StepPlan* const plan = scheduler_->Plan(now_);
  ExpectConsistent();
  if (plan == nullptr) return std::nullopt;
  in_flight_.push_back(*plan);
  return *plan;
}

worker::v1::Runs SchedulerFixture::Runs() {
  const std::optional<worker::v1::StepPlan> plan = PlanStep();
  return plan.has_value() ? plan->runs() : worker::v1::Runs();
}

void SchedulerFixture::CommitStep() {
  ASSERT_FALSE(in_flight_.empty());
  worker::v1::StepResult result = puppet_->Execute(in_flight_.front());
  *result.mutable_timings() = timings_;
  const absl::Status accepted =
      scheduler_->group()->Accept(Rank(0), std::move(result));
  ASSERT_TRUE(accepted.ok()) << accepted;
  in_flight_.pop_front();
  scheduler_->Commit(now_);
  outbox_.Publish();
  ExpectConsistent();
}

void SchedulerFixture::RunToEnd() {
  for (;;) {
    while (PlanStep().has_value()) {
    }
    if (in_flight_.empty()) return;
    CommitStep();
    if (HasFatalFailure()) return;
  }
}

void SchedulerFixture::ExpectServed(Client& client) {
  client.Collect();
  EXPECT_EQ(client.num_closings, 1);
  EXPECT_TRUE(client.status.ok()) << client.status;
  size_t num_tokens = 0;
  for (uint32_t i = 0; i < client.alone.size(); ++i) {
    EXPECT_EQ(client.tokens_of[i], client.alone[i]);
    num_tokens += client.alone[i].size();
  }
  EXPECT_EQ(client.tokens.size(), num_tokens);
  // Of ranked sequences not all are returned, and hypotheses have tokens in
  // common.
  if (client.scores.empty()) {
    EXPECT_EQ(client.usage.generated_tokens, num_tokens);
  } else {
    EXPECT_GE(client.usage.generated_tokens, client.alone[0].size());
  }
}

void SchedulerFixture::ExpectIdle() {
  EXPECT_EQ(scheduler_->num_open(), 0u);
  EXPECT_EQ(num_available(), shape_.num_blocks);
  EXPECT_EQ(scheduler_->group()->host_blocks().num_used(), 0u);
  EXPECT_THAT(puppet_->violations(), testing::IsEmpty());
}

}  // namespace quire
