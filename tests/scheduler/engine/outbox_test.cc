#include "scheduler/engine/outbox.h"

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(OutboxTest, DeliversNothingBeforePublish) {
  auto mailbox = std::make_shared<Mailbox>([] {});
  Outbox outbox;
  outbox.DeltaOf(mailbox.get(), 0).tokens = {1};
  EXPECT_TRUE(mailbox->TakeAll().empty());
}

TEST(OutboxTest, DeliversInOrderToEach) {
  auto a = std::make_shared<Mailbox>([] {});
  auto b = std::make_shared<Mailbox>([] {});
  Outbox outbox;
  outbox.DeltaOf(a.get(), 0).tokens = {1};
  outbox.DeltaOf(b.get(), 0).tokens = {5};
  outbox.DeltaOf(a.get(), 0).tokens = {2};
  outbox.Close(a, absl::CancelledError("gone"), {.generated_tokens = 2});
  EXPECT_TRUE(outbox.Publish());

  const Mailbox::Contents contents = a->TakeAll();
  ASSERT_EQ(contents.deltas.size(), 1u);
  EXPECT_THAT(contents.deltas[0].tokens, testing::ElementsAre(1, 2));
  EXPECT_TRUE(contents.closed);
  EXPECT_EQ(contents.status, absl::CancelledError("gone"));
  EXPECT_EQ(contents.usage.generated_tokens, 2u);
  EXPECT_THAT(b->TakeAll().deltas[0].tokens, testing::ElementsAre(5));
}

TEST(OutboxTest, WhatIsNewOfASequenceIsOneDelta) {
  const auto mailbox = std::make_shared<Mailbox>([] {});
  Outbox outbox;
  outbox.DeltaOf(mailbox.get(), 1).tokens.push_back(4);
  outbox.DeltaOf(mailbox.get(), 1).tokens.push_back(5);
  outbox.DeltaOf(mailbox.get(), 2).tokens.push_back(6);
  EXPECT_TRUE(outbox.Publish());
  const Mailbox::Contents contents = mailbox->TakeAll();
  ASSERT_EQ(contents.deltas.size(), 2u);
  EXPECT_EQ(contents.deltas[0].sequence, 1u);
  EXPECT_THAT(contents.deltas[0].tokens, testing::ElementsAre(4, 5));
  EXPECT_EQ(contents.deltas[1].sequence, 2u);
}

TEST(OutboxTest, DeliversOnce) {
  auto mailbox = std::make_shared<Mailbox>([] {});
  Outbox outbox;
  outbox.DeltaOf(mailbox.get(), 0).tokens = {1};
  EXPECT_TRUE(outbox.Publish());
  mailbox->TakeAll();
  EXPECT_FALSE(outbox.Publish());
  EXPECT_TRUE(mailbox->TakeAll().empty());
}

}  // namespace
}  // namespace quire
