// The contract of Communicator, of every kind: ranks as threads, and as
// processes that die.

#include "worker/comm/communicator.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "common/check.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/worker/comm/rank_values.h"
#include "worker/comm/make_communicator.h"

namespace quire {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

constexpr CollectiveUse kUse = CollectiveUse::kLayer;

class CommunicatorTest : public testing::TestWithParam<CommunicatorKind> {
 protected:
  // Patience that outlasts the test, but for what is to be waited for.
  static CommunicatorOptions Options(int rank, int num_ranks) {
    return {.kind = GetParam(),
            .rank = Rank(rank),
            .num_ranks = num_ranks,
            .form_deadline = absl::Seconds(30),
            .deadline = absl::Hours(1)};
  }
  static std::unique_ptr<Communicator> Make(
      const CommunicatorOptions& options) {
    auto communicator = MakeCommunicator(options);
    QUIRE_CHECK(communicator.ok());
    return *std::move(communicator);
  }

  void MakeRanks(int num_ranks, absl::Duration deadline = absl::Hours(1)) {
    for (int rank = 0; rank < num_ranks; ++rank) {
      CommunicatorOptions options = Options(rank, num_ranks);
      options.deadline = deadline;
      ranks_.push_back(Make(options));
    }
  }

  // What function(rank, its communicator) says, by rank, on a thread each.
  std::vector<absl::Status> Run(
      const std::function<absl::Status(int, Communicator&)>& function) {
    std::vector<absl::Status> statuses(ranks_.size());
    std::vector<std::thread> threads;
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      threads.emplace_back([&, rank] {
        statuses[rank] = function(static_cast<int>(rank), *ranks_[rank]);
      });
    }
    for (std::thread& thread : threads) thread.join();
    return statuses;
  }

  void Form(uint64_t epoch) {
    const auto statuses = Run([&](int, Communicator& communicator) {
      return communicator.Form(Epoch(epoch), ranks_[0]->rendezvous());
    });
    ASSERT_THAT(statuses, Each(absl::OkStatus()));
  }

  // Whether all ranks have the sum of what each has.
  void ExpectThatTheySum(size_t size = 100) {
    const int n = static_cast<int>(ranks_.size());
    const auto statuses = Run([&](int rank, Communicator& communicator) {
      std::vector<float> values = ValuesOf(rank, size);
      absl::Status status = communicator.AllReduceSum(kUse, values);
      EXPECT_EQ(values, SumInRankOrder(n, size)) << "rank " << rank;
      return status;
    });
    EXPECT_THAT(statuses, Each(absl::OkStatus()));
  }

  std::vector<std::unique_ptr<Communicator>> ranks_;
};

INSTANTIATE_TEST_SUITE_P(Kinds, CommunicatorTest,
                         testing::Values(CommunicatorKind::kSharedMemory,
                                         CommunicatorKind::kGloo),
                         [](const auto& info) {
                           return CommunicatorName(info.param);
                         });

TEST_P(CommunicatorTest, SumsHaveTheSameBitsOnAllRanks) {
  for (int num_ranks = 2; num_ranks <= 4; ++num_ranks) {
    ranks_.clear();
    MakeRanks(num_ranks);
    Form(1);
    for (const size_t size : {1, 999, 70'001}) ExpectThatTheySum(size);
  }
}

TEST_P(CommunicatorTest, BytesOfRankZeroReachAll) {
  MakeRanks(3);
  Form(1);
  const auto statuses = Run([](int rank, Communicator& communicator) {
    std::vector<std::byte> bytes(11, std::byte{static_cast<uint8_t>(rank + 7)});
    absl::Status status = communicator.Broadcast(kUse, bytes);
    EXPECT_EQ(bytes, std::vector(11, std::byte{7}));
    return status;
  });
  EXPECT_THAT(statuses, Each(absl::OkStatus()));
}

TEST_P(CommunicatorTest, ColumnsOfUnevenWidthMakeTheMatrixOfRankZero) {
  constexpr int64_t kStride = 7;  // One more than there are columns.
  const std::vector<int64_t> columns = {2, 3, 1};
  MakeRanks(3);
  Form(1);
  const auto statuses = Run([&](int rank, Communicator& communicator) {
    const int64_t width = rank == 0 ? kStride : columns[rank];
    std::vector<float> matrix(2 * width, static_cast<float>(rank));
    matrix[width] += 10;  // The first of the second row.
    absl::Status status =
        communicator.GatherColumns(kUse, {2, columns, kStride}, matrix.data());
    if (rank == 0) {
      EXPECT_EQ(matrix, (std::vector<float>{0, 0, 1, 1, 1, 2, 0,  //
                                            10, 0, 11, 1, 1, 12, 0}));
    }
    return status;
  });
  EXPECT_THAT(statuses, Each(absl::OkStatus()));
}

TEST_P(CommunicatorTest, CollectivesAreCountedByTheirUse) {
  MakeRanks(2);
  Form(1);
  ExpectThatTheySum();
  ExpectThatTheySum();
  EXPECT_EQ(ranks_[1]->count(kUse), 2);
  EXPECT_EQ(ranks_[1]->count(CollectiveUse::kEmbedding), 0);
}

TEST_P(CommunicatorTest, NothingIsExchangedBeforeTheRanksMet) {
  MakeRanks(2);
  std::vector<float> values(1);
  EXPECT_EQ(ranks_[0]->AllReduceSum(kUse, values).code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_P(CommunicatorTest, RankThatDoesNotComeIsMissedAtTheDeadline) {
  MakeRanks(2, absl::Milliseconds(200));
  Form(1);
  std::vector<float> values(5);
  EXPECT_EQ(ranks_[1]->AllReduceSum(kUse, values).code(),
            absl::StatusCode::kDeadlineExceeded);
  // Who comes late finds that the epoch is over.
  EXPECT_FALSE(ranks_[0]->AllReduceSum(kUse, values).ok());
  EXPECT_FALSE(ranks_[1]->AllReduceSum(kUse, values).ok());
}

TEST_P(CommunicatorTest, RankThatLeavesEndsTheWaitingOfTheOthers) {
  MakeRanks(3);
  Form(1);
  const auto statuses = Run([](int rank, Communicator& communicator) {
    if (rank == 1) {
      communicator.Leave();
      return absl::UnavailableError("left");
    }
    std::vector<float> values(5);
    return communicator.AllReduceSum(kUse, values);
  });
  for (const absl::Status& status : statuses) {
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  }
}

TEST_P(CommunicatorTest, RanksMeetAgainUnderTheNextEpoch) {
  MakeRanks(3, absl::Milliseconds(200));
  for (uint64_t epoch = 1; epoch <= 4; ++epoch) {
    Form(epoch);
    ExpectThatTheySum();
    std::vector<float> values(5);
    EXPECT_FALSE(ranks_[epoch % 3]->AllReduceSum(kUse, values).ok());
  }
}

TEST_P(CommunicatorTest, RankThatDoesNotComeToTheRendezvousIsNamed) {
  CommunicatorOptions options = Options(0, 3);
  options.form_deadline = absl::Milliseconds(100);
  const absl::Status status = Make(options)->Form(Epoch(1), "");
  EXPECT_EQ(status, absl::DeadlineExceededError(
                        "ranks that did not come to the rendezvous: 1 2"));
}

TEST_P(CommunicatorTest, RankOfALaterEpochEndsTheMeeting) {
  MakeRanks(2);
  const auto statuses = Run([&](int rank, Communicator& communicator) {
    return communicator.Form(Epoch(rank == 0 ? 4 : 5), ranks_[0]->rendezvous());
  });
  EXPECT_EQ(statuses[0],
            absl::UnavailableError("epoch 4 is over: rank 1 is in epoch 5"));
}

TEST_P(CommunicatorTest, NobodyListensWhereRankZeroIsGone) {
  MakeRanks(2);
  const std::string rendezvous = ranks_[0]->rendezvous();
  ranks_[0] = nullptr;
  const absl::Status status = ranks_[1]->Form(Epoch(1), rendezvous);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("cannot meet rank 0"));
}

TEST_P(CommunicatorTest, NonsenseIsNoRendezvous) {
  MakeRanks(2);
  for (const std::string nonsense : {"", "tcp:", "tcp:5", "unix:/a", "x:@y"}) {
    EXPECT_EQ(ranks_[1]->Form(Epoch(1), nonsense).code(),
              absl::StatusCode::kInvalidArgument)
        << nonsense;
  }
}

// A rank in a process of its own, that sums for as long as it lives.
class ChildRank {
 public:
  ChildRank(const CommunicatorOptions& options, const std::string& rendezvous)
      : pid_(fork()) {
    QUIRE_CHECK(pid_ >= 0);
    if (pid_ > 0) return;
    const auto communicator = MakeCommunicator(options);
    std::vector<float> values(3000);
    if (communicator.ok() && (*communicator)->Form(Epoch(1), rendezvous).ok()) {
      while ((*communicator)->AllReduceSum(kUse, values).ok()) continue;
    }
    _exit(0);
  }
  ~ChildRank() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  void Kill() { kill(pid_, SIGKILL); }

 private:
  const pid_t pid_;
};

TEST_P(CommunicatorTest, ProcessThatIsKilledIsMissedAtOnce) {
  for (const int killed : {1, 2}) {
    const auto zero = Make(Options(0, 3));
    ChildRank one(Options(1, 3), zero->rendezvous());
    ChildRank two(Options(2, 3), zero->rendezvous());
    ASSERT_TRUE(zero->Form(Epoch(1), "").ok());
    std::vector<float> values(3000);
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(zero->AllReduceSum(kUse, values).ok());
    }
    (killed == 1 ? one : two).Kill();
    absl::Status status;
    while (status.ok()) status = zero->AllReduceSum(kUse, values);
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  }
}

}  // namespace
}  // namespace quire
