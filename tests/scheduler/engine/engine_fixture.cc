#include "tests/scheduler/engine/engine_fixture.h"

#include <utility>

#include "gmock/gmock.h"

namespace quire {

void EngineFixture::StartEngine() {
  engine_.reset();
  metrics_.emplace();
  engine_.emplace(options_, &clock_, &*metrics_);
}

void EngineFixture::AttachGroup() {
  shape_.epoch = shape_.epoch.Next();
  group_ = std::make_shared<PuppetGroup>(shape_, &*engine_);
  engine_->OnGroupReady(shape_, group_);
  Settle();
}

EngineFixture::Client& EngineFixture::Submit(Ask ask) {
  Client& client = clients_.emplace_back();
  client.id = RequestId(clients_.size());
  client.alone = AnswerAlone(ask);
  engine_->Submit(MakeRequest(client.id, std::move(ask), client.mailbox()));
  return client;
}

void EngineFixture::Settle() {
  while (engine_->RunOnce()) {
  }
}

void EngineFixture::Step() {
  group_->AnswerStep();
  Settle();
}

void EngineFixture::Steps(int count) {
  for (int i = 0; i < count; ++i) Step();
}

void EngineFixture::RunToEnd() {
  Settle();
  while (group_->num_in_flight() > 0) Step();
}

void EngineFixture::LoseGroup() {
  engine_->OnGroupLost(shape_.epoch);
  Settle();
}

void EngineFixture::ExpectServed(Client& client) {
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

void EngineFixture::ExpectIdle() {
  const EngineSnapshot snapshot = engine_->Snapshot(/*with_blocks=*/false);
  EXPECT_EQ(snapshot.num_running, 0u);
  EXPECT_EQ(snapshot.num_waiting, 0u);
  EXPECT_EQ(snapshot.blocks.active, 0u);
  EXPECT_EQ(snapshot.blocks.free + snapshot.blocks.cached,
            snapshot.blocks.total);
  EXPECT_EQ(snapshot.blocks.host_used, 0u);
  EXPECT_THAT(group_->violations(), testing::IsEmpty());
}

}  // namespace quire
