#include "scheduler/engine/outbox.h"

#include <memory>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(OutboxTest, DeliversNothingBeforePublish) {
  auto mailbox = std::make_shared<Mailbox>([] {});
  Outbox outbox;
  outbox.Append(mailbox, {.tokens = {1}});
  EXPECT_TRUE(mailbox->TakeAll().empty());
}

TEST(OutboxTest, DeliversInOrderToEach) {
  auto a = std::make_shared<Mailbox>([] {});
  auto b = std::make_shared<Mailbox>([] {});
  Outbox outbox;
  outbox.Append(a, {.tokens = {1}});
  outbox.Append(b, {.tokens = {5}});
  outbox.Append(a, {.tokens = {2}});
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

TEST(OutboxTest, DeliversOnce) {
  auto mailbox = std::make_shared<Mailbox>([] {});
  Outbox outbox;
  outbox.Append(mailbox, {.tokens = {1}});
  EXPECT_TRUE(outbox.Publish());
  mailbox->TakeAll();
  EXPECT_FALSE(outbox.Publish());
  EXPECT_TRUE(mailbox->TakeAll().empty());
}

}  // namespace
}  // namespace quire
