#include "scheduler/engine/mailbox.h"

#include <optional>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

class MailboxTest : public testing::Test {
 protected:
  int num_notices_ = 0;
  Mailbox mailbox_{[this] { ++num_notices_; }};
};

TEST_F(MailboxTest, NotifiesOnlyWhereNothingWasPending) {
  mailbox_.Append({.tokens = {1}});
  mailbox_.Append({.tokens = {2}});
  EXPECT_EQ(num_notices_, 1);
  mailbox_.TakeAll();
  mailbox_.Append({.tokens = {3}});
  EXPECT_EQ(num_notices_, 2);
}

TEST_F(MailboxTest, WhatIsPendingOfASequenceIsOneDelta) {
  mailbox_.Append({.text = "a", .tokens = {1}, .logprobs = {{}}});
  mailbox_.Append({.text = "b",
                   .tokens = {2},
                   .logprobs = {{}},
                   .finish_reason = FinishReason::kStop,
                   .stop_reason = "2"});
  const Mailbox::Contents contents = mailbox_.TakeAll();
  ASSERT_THAT(contents.deltas, SizeIs(1));
  const SequenceDelta& delta = contents.deltas[0];
  EXPECT_EQ(delta.text, "ab");
  EXPECT_THAT(delta.tokens, ElementsAre(1, 2));
  EXPECT_THAT(delta.logprobs, SizeIs(2));
  EXPECT_EQ(delta.finish_reason, FinishReason::kStop);
  EXPECT_EQ(delta.stop_reason, "2");
}

TEST_F(MailboxTest, SequencesStayApart) {
  mailbox_.Append({.sequence = 1, .tokens = {1}});
  mailbox_.Append({.sequence = 0, .tokens = {2}});
  mailbox_.Append({.sequence = 1, .tokens = {3}});
  const Mailbox::Contents contents = mailbox_.TakeAll();
  ASSERT_THAT(contents.deltas, SizeIs(2));
  EXPECT_THAT(contents.deltas[0].tokens, ElementsAre(1, 3));
  EXPECT_THAT(contents.deltas[1].tokens, ElementsAre(2));
}

TEST_F(MailboxTest, IsEmptyOnceTaken) {
  EXPECT_TRUE(mailbox_.TakeAll().empty());
  mailbox_.Append({.tokens = {1}});
  EXPECT_FALSE(mailbox_.TakeAll().empty());
  EXPECT_TRUE(mailbox_.TakeAll().empty());
}

TEST_F(MailboxTest, CloseComesWithWhatIsPending) {
  mailbox_.Append({.tokens = {1}});
  mailbox_.Close(absl::OkStatus(), {.prompt_tokens = 4, .generated_tokens = 1});
  const Mailbox::Contents contents = mailbox_.TakeAll();
  EXPECT_THAT(contents.deltas, SizeIs(1));
  EXPECT_TRUE(contents.closed);
  EXPECT_EQ(contents.usage.prompt_tokens, 4u);
}

TEST_F(MailboxTest, CloseAloneNotifies) {
  mailbox_.Close(absl::UnavailableError("no"), {});
  EXPECT_EQ(num_notices_, 1);
  EXPECT_EQ(mailbox_.TakeAll().status, absl::UnavailableError("no"));
}

TEST(MailboxReentryTest, MayBeEmptiedFromItsOwnNotice) {
  std::optional<Mailbox> mailbox;
  size_t taken = 0;
  mailbox.emplace([&] { taken += mailbox->TakeAll().deltas.size(); });
  mailbox->Append({.tokens = {1}});
  mailbox->Append({.tokens = {2}});
  EXPECT_EQ(taken, 2u);
}

}  // namespace
}  // namespace quire
