#include "scheduler/engine/inbox.h"

#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(InboxTest, GivesEventsInOrderAndOnce) {
  Inbox<int> inbox;
  inbox.Push(1);
  inbox.Push(2);
  std::vector<int> events = {99};
  inbox.TakeAll(events);
  EXPECT_THAT(events, testing::ElementsAre(1, 2));
  inbox.TakeAll(events);
  EXPECT_THAT(events, testing::IsEmpty());
}

TEST(InboxTest, AnEventEndsTheWait) {
  Inbox<int> inbox;
  std::thread producer([&] { inbox.Push(7); });
  inbox.Wait(absl::InfiniteDuration());
  std::vector<int> events;
  inbox.TakeAll(events);
  EXPECT_THAT(events, testing::ElementsAre(7));
  producer.join();
}

TEST(InboxTest, WhatIsLeftIsFoundAtTheNextLook) {
  Inbox<int> inbox;
  inbox.Leave(7);
  inbox.Wait(absl::InfiniteDuration());
  std::vector<int> events;
  inbox.TakeAll(events);
  EXPECT_THAT(events, testing::ElementsAre(7));
}

TEST(InboxTest, AnEventThatAnotherTookEndsTheWaitToo) {
  Inbox<int> inbox;
  inbox.Push(7);
  std::vector<int> events;
  inbox.TakeAll(events);
  inbox.Wait(absl::InfiniteDuration());
}

TEST(InboxTest, AWakeEndsTheWait) {
  Inbox<int> inbox;
  std::thread waker([&] { inbox.Wake(); });
  inbox.Wait(absl::InfiniteDuration());
  waker.join();
}

TEST(InboxTest, TheWaitEndsAtItsLimit) {
  Inbox<int> inbox;
  inbox.Wait(absl::ZeroDuration());
  std::vector<int> events;
  inbox.TakeAll(events);
  EXPECT_THAT(events, testing::IsEmpty());
}

TEST(InboxTest, LosesNothingOfManyProducers) {
  constexpr int kProducers = 4;
  constexpr int kEach = 1000;
  Inbox<int> inbox;
  std::vector<std::thread> producers;
  for (int p = 0; p < kProducers; ++p) {
    producers.emplace_back([&inbox, p] {
      for (int i = 0; i < kEach; ++i) inbox.Push(p * kEach + i);
    });
  }
  std::vector<int> next(kProducers, 0);
  std::vector<int> events;
  for (int received = 0; received < kProducers * kEach;) {
    inbox.Wait(absl::InfiniteDuration());
    inbox.TakeAll(events);
    for (int event : events) EXPECT_EQ(event % kEach, next[event / kEach]++);
    received += static_cast<int>(events.size());
  }
  for (std::thread& producer : producers) producer.join();
}

}  // namespace
}  // namespace quire
