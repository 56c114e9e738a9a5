#include "worker/comm/rendezvous.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>

#include "common/ids.h"
#include "worker/comm/rank_socket.h"

namespace quire {
namespace {

SteadyTime In(std::chrono::milliseconds duration) {
  return std::chrono::steady_clock::now() + duration;
}
SteadyTime Soon() { return In(std::chrono::seconds(20)); }

enum class Place { kHere, kTcp };

class RendezvousTest : public testing::TestWithParam<Place> {
 protected:
  RendezvousTest()
      : rendezvous_(GetParam() == Place::kHere
                        ? *Rendezvous::ListenHere()
                        : *Rendezvous::ListenOn("127.0.0.1")) {}

  RankSocket MustMeet(uint64_t epoch, uint32_t rank) {
    auto socket =
        MeetAt(rendezvous_->address(), Epoch(epoch), Rank(rank), Soon());
    EXPECT_TRUE(socket.ok()) << socket.status();
    return *std::move(socket);
  }
  // Whether the other end has hung up, which may take a moment to be seen.
  static bool IsSentAway(RankSocket& socket) {
    std::byte byte;
    return absl::IsUnavailable(socket.Receive({&byte, 1}, Soon()));
  }

  const std::unique_ptr<Rendezvous> rendezvous_;
};

INSTANTIATE_TEST_SUITE_P(Places, RendezvousTest,
                         testing::Values(Place::kHere, Place::kTcp),
                         [](const auto& info) {
                           return info.param == Place::kHere ? "Here" : "Tcp";
                         });

TEST_P(RendezvousTest, RankZeroKnowsWhoIsWho) {
  RankSocket two = MustMeet(1, 2);
  RankSocket one = MustMeet(1, 1);
  auto sockets = rendezvous_->Meet(Epoch(1), 3, Soon());
  ASSERT_TRUE(sockets.ok()) << sockets.status();
  const std::byte sent{42};
  ASSERT_TRUE((*sockets)[2].Send({&sent, 1}, Soon()).ok());
  std::byte received{};
  EXPECT_TRUE(two.Receive({&received, 1}, Soon()).ok());
  EXPECT_EQ(received, sent);
  EXPECT_FALSE(one.IsClosed());
}

TEST_P(RendezvousTest, WhoComesForAnEarlierEpochIsSentAway) {
  RankSocket late = MustMeet(1, 1);
  RankSocket one = MustMeet(2, 1);
  const auto sockets = rendezvous_->Meet(Epoch(2), 2, Soon());
  ASSERT_TRUE(sockets.ok()) << sockets.status();
  EXPECT_TRUE(IsSentAway(late));
  EXPECT_FALSE(one.IsClosed());
}

TEST_P(RendezvousTest, WhoComesForALaterEpochEndsTheMeeting) {
  const RankSocket one = MustMeet(3, 1);
  EXPECT_EQ(rendezvous_->Meet(Epoch(2), 2, Soon()).status(),
            absl::UnavailableError("epoch 2 is over: rank 1 is in epoch 3"));
}

// It was killed and started again.
TEST_P(RendezvousTest, OfARankThatComesTwiceTheSecondCounts) {
  RankSocket before = MustMeet(1, 1);
  RankSocket after = MustMeet(1, 1);
  RankSocket two = MustMeet(1, 2);
  const auto sockets = rendezvous_->Meet(Epoch(1), 3, Soon());
  ASSERT_TRUE(sockets.ok()) << sockets.status();
  EXPECT_TRUE(IsSentAway(before));
  EXPECT_FALSE(after.IsClosed());
}

TEST_P(RendezvousTest, RanksThatTheGroupHasNotAreSentAway) {
  RankSocket zero = MustMeet(1, 0);
  RankSocket five = MustMeet(1, 5);
  const RankSocket one = MustMeet(1, 1);
  EXPECT_TRUE(rendezvous_->Meet(Epoch(1), 2, Soon()).ok());
  EXPECT_TRUE(IsSentAway(zero));
  EXPECT_TRUE(IsSentAway(five));
}

TEST_P(RendezvousTest, WhoIsMissingIsNamed) {
  const RankSocket two = MustMeet(1, 2);
  EXPECT_EQ(rendezvous_->Meet(Epoch(1), 4, In(std::chrono::milliseconds(50)))
                .status(),
            absl::DeadlineExceededError(
                "ranks that did not come to the rendezvous: 1 3"));
}

TEST_P(RendezvousTest, ASocketSaysThatTheOtherRankIsGone) {
  RankSocket one = MustMeet(1, 1);
  auto sockets = rendezvous_->Meet(Epoch(1), 2, Soon());
  ASSERT_TRUE(sockets.ok()) << sockets.status();
  EXPECT_FALSE((*sockets)[1].IsClosed());
  one = RankSocket();
  EXPECT_TRUE(IsSentAway((*sockets)[1]));
  EXPECT_TRUE((*sockets)[1].IsClosed());
}

TEST(RankSocketTest, DescriptorsArriveOpen) {
  const auto rendezvous = *Rendezvous::ListenHere();
  RankSocket one = *MeetAt(rendezvous->address(), Epoch(1), Rank(1), Soon());
  auto sockets = *rendezvous->Meet(Epoch(1), 2, Soon());
  FileDescriptor sent(memfd_create("test", 0));
  ASSERT_EQ(write(sent.get(), "word", 4), 4);
  ASSERT_TRUE(sockets[1].SendDescriptor(sent, Soon()).ok());
  const auto received = one.ReceiveDescriptor(Soon());
  ASSERT_TRUE(received.ok()) << received.status();
  char text[4];
  ASSERT_EQ(pread(received->get(), text, 4, 0), 4);
  EXPECT_EQ(std::string(text, 4), "word");
}

TEST(RankSocketTest, NothingToReceiveIsADeadline) {
  const auto rendezvous = *Rendezvous::ListenHere();
  RankSocket one = *MeetAt(rendezvous->address(), Epoch(1), Rank(1), Soon());
  std::byte byte;
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      one.Receive({&byte, 1}, In(std::chrono::milliseconds(20)))));
}

}  // namespace
}  // namespace quire
