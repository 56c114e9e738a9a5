#include "worker/comm/shared_exchange.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "tests/worker/comm/rank_values.h"
#include "worker/weights/mapped_memory.h"

namespace quire {
namespace {

// Ranks as threads over one mapping.
class Ranks {
 public:
  explicit Ranks(int num_ranks, SharedExchangeOptions options = {})
      : memory_(*MappedMemory::Allocate(SharedExchange::BytesFor(num_ranks),
                                        "an exchange")) {
    options.num_ranks = num_ranks;
    for (options.rank = 0; options.rank < num_ranks; ++options.rank) {
      ranks_.push_back(
          std::make_unique<SharedExchange>(memory_.data(), options));
    }
  }

  SharedExchange& operator[](int rank) { return *ranks_[rank]; }

  // Calls function(rank, its exchange) on a thread for each.
  void Run(const std::function<void(int, SharedExchange&)>& function) {
    std::vector<std::thread> threads;
    for (size_t rank = 0; rank < ranks_.size(); ++rank) {
      threads.emplace_back(
          [&, rank] { function(static_cast<int>(rank), *ranks_[rank]); });
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  const MappedMemory memory_;
  std::vector<std::unique_ptr<SharedExchange>> ranks_;
};

struct Case {
  int num_ranks;
  size_t size;
  bool spins;
};

class SumTest : public testing::TestWithParam<Case> {};
// Sizes around those where pieces and tiles end.
INSTANTIATE_TEST_SUITE_P(
    All, SumTest,
    testing::Values(Case{1, 5, true}, Case{2, 1, true}, Case{2, 1000, false},
                    Case{2, 65537, true}, Case{3, 4096, true},
                    Case{3, 4097, false}, Case{3, 200000, true},
                    Case{4, 10007, true}, Case{8, 8191, false}),
    [](const auto& info) {
      return std::to_string(info.param.num_ranks) + "Ranks" +
             std::to_string(info.param.size) + "Floats" +
             (info.param.spins ? "Spinning" : "Sleeping");
    });

TEST_P(SumTest, AllRanksHaveTheSumInTheirOrder) {
  const auto [num_ranks, size, spins] = GetParam();
  Ranks ranks(num_ranks, {.spins = spins});
  const std::vector<float> expected = SumInRankOrder(num_ranks, size);
  ranks.Run([&](int rank, SharedExchange& exchange) {
    for (int round = 0; round < 5; ++round) {
      std::vector<float> values = ValuesOf(rank, size);
      ASSERT_TRUE(exchange.AllReduceSum(values).ok());
      ASSERT_EQ(values, expected);
    }
  });
}

TEST(SharedExchangeTest, BytesOfRankZeroReachAll) {
  Ranks ranks(3);
  ranks.Run([&](int rank, SharedExchange& exchange) {
    for (const size_t size : {1, 7, 300000, 3}) {
      std::vector<std::byte> bytes(size, std::byte{static_cast<uint8_t>(rank)});
      if (rank == 0) bytes.assign(size, std::byte{0x5a});
      ASSERT_TRUE(exchange.Broadcast(bytes).ok());
      ASSERT_EQ(bytes, std::vector(size, std::byte{0x5a}));
    }
  });
}

TEST(SharedExchangeTest, ColumnsOfAllRanksMakeTheMatrixOfRankZero) {
  constexpr int64_t kRows = 40;
  const std::vector<int64_t> columns = {700, 2000, 1};
  Ranks ranks(3);
  ranks.Run([&](int rank, SharedExchange& exchange) {
    const int64_t width = rank == 0 ? 2701 : columns[rank];
    std::vector<float> matrix(kRows * width);
    for (int64_t i = 0; i < kRows * width; ++i) {
      matrix[i] = static_cast<float>(100000 * rank + i);
    }
    ASSERT_TRUE(
        exchange.GatherColumns({kRows, columns, 2701}, matrix.data()).ok());
    if (rank != 0) return;
    for (int64_t row = 0; row < kRows; ++row) {
      const float* const of_row = &matrix[row * 2701];
      ASSERT_EQ(of_row[699], row * 2701 + 699);
      ASSERT_EQ(of_row[700], 100000 + row * 2000);
      ASSERT_EQ(of_row[2699], 100000 + row * 2000 + 1999);
      ASSERT_EQ(of_row[2700], 200000 + row);
    }
  });
}

// Every kind after every other, with sizes that differ from turn to turn.
TEST(SharedExchangeTest, CollectivesFollowOneAnotherInAnyOrder) {
  constexpr int kRanks = 3;
  const std::vector<int64_t> columns = {2, 3, 1};
  Ranks ranks(kRanks, {.spins = false});
  ranks.Run([&](int rank, SharedExchange& exchange) {
    std::mt19937 plan(7);  // The same on all ranks.
    for (int step = 0; step < 300; ++step) {
      const auto size = plan() % 6000 + 1;
      std::vector<float> values = ValuesOf(rank, size);
      switch (plan() % 3) {
        case 0:
          ASSERT_TRUE(exchange.AllReduceSum(values).ok());
          ASSERT_EQ(values, SumInRankOrder(kRanks, size));
          break;
        case 1:
          ASSERT_TRUE(
              exchange.Broadcast(std::as_writable_bytes(std::span(values)))
                  .ok());
          ASSERT_EQ(values, ValuesOf(0, size));
          break;
        default:
          std::vector<float> matrix(4 * 6, static_cast<float>(rank));
          ASSERT_TRUE(
              exchange.GatherColumns({4, columns, 6}, matrix.data()).ok());
          if (rank == 0) {
            ASSERT_EQ(std::vector(matrix.begin() + 18, matrix.end()),
                      (std::vector<float>{0, 0, 1, 1, 1, 2}));
          }
      }
    }
  });
}

TEST(SharedExchangeTest, WhoeverDoesNotComeIsWaitedForUntilTheDeadline) {
  Ranks ranks(2, {.deadline = absl::Milliseconds(30)});
  std::vector<float> values(3);
  const absl::Status status = ranks[1].AllReduceSum(values);
  EXPECT_EQ(status, absl::DeadlineExceededError(
                        "rank 1 waited 30ms for the other ranks"));
}

TEST(SharedExchangeTest, ARankThatLeavesEndsTheWaitingOfTheOthers) {
  Ranks ranks(3, {.deadline = absl::Hours(1)});
  ranks.Run([](int rank, SharedExchange& exchange) {
    if (rank == 2) {
      exchange.Abort();
      return;
    }
    std::vector<float> values(3);
    EXPECT_EQ(exchange.AllReduceSum(values),
              absl::UnavailableError("another rank left the epoch"));
  });
}

TEST(SharedExchangeTest, ADeathThatIsSeenEndsTheWaiting) {
  Ranks ranks(2, {.deadline = absl::Hours(1), .check_alive = [] {
                    return absl::UnavailableError("rank 1 is gone");
                  }});
  std::vector<float> values(3);
  EXPECT_EQ(ranks[0].AllReduceSum(values),
            absl::UnavailableError("rank 1 is gone"));
}

}  // namespace
}  // namespace quire
