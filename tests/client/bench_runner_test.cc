#include "client/bench_runner.h"

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "tests/client/fake_quire_server.h"

namespace quire {
namespace {

class BenchRunnerTest : public testing::Test {
 protected:
  BenchRunnerTest() {
    server_.AddText("a");
    server_.AddText("b");
    server_.AddEnd(quire::v1::FINISH_REASON_LENGTH, "");
  }

  void AddRequest(absl::Duration arrival, std::vector<Token> prompt,
                  uint32_t max_tokens) {
    workload_.push_back({arrival, std::move(prompt), max_tokens});
  }

  std::vector<BenchRecord> Run(BenchRunner::Options options = {}) {
    const ServerConnection connection(server_.address());
    BenchRunner runner(connection, clock_, workload_, std::move(options));
    std::vector<BenchRecord> records = runner.Run();
    wall_ = runner.wall();
    return records;
  }

  FakeQuireServer server_;
  SystemClock clock_;
  std::vector<WorkloadItem> workload_;
  absl::Duration wall_;
};

TEST_F(BenchRunnerTest, SendsEveryRequestGreedyToItsLastToken) {
  AddRequest(absl::ZeroDuration(), {5, 6, 7}, 9);
  Run();
  const auto request = server_.requests().at(0);
  EXPECT_EQ(request.token_ids().ids_size(), 3);
  EXPECT_TRUE(request.sampling().has_temperature());
  EXPECT_EQ(request.sampling().temperature(), 0);
  EXPECT_EQ(request.stopping().max_tokens(), 9);
  EXPECT_TRUE(request.stopping().ignore_eos());
}

TEST_F(BenchRunnerTest, RecordsWhatTheServerCountsAndWhenTokensCome) {
  AddRequest(absl::ZeroDuration(), {5, 6, 7}, 2);
  const BenchRecord record = Run().at(0);
  EXPECT_TRUE(record.status.ok());
  EXPECT_EQ(record.prompt_tokens, 3);
  EXPECT_EQ(record.output_tokens, 2);
  ASSERT_EQ(record.token_times.size(), 2);
  EXPECT_LE(record.start, record.token_times[0]);
  EXPECT_LE(record.token_times[0], record.token_times[1]);
  EXPECT_LE(record.token_times[1], record.finish);
  EXPECT_LE(record.finish, wall_);
}

TEST_F(BenchRunnerTest, HonoursArrivals) {
  AddRequest(absl::ZeroDuration(), {1}, 2);
  AddRequest(absl::Milliseconds(50), {1}, 2);
  const std::vector<BenchRecord> records = Run();
  EXPECT_LT(records[0].start, absl::Milliseconds(50));
  EXPECT_GE(records[1].start, absl::Milliseconds(50));
}

TEST_F(BenchRunnerTest, OneAfterAnotherWhereOnlyOneMayFly) {
  for (int i = 0; i < 20; ++i) AddRequest(absl::ZeroDuration(), {1}, 2);
  const std::vector<BenchRecord> records = Run({.concurrency = 1});
  for (size_t i = 1; i < records.size(); ++i) {
    EXPECT_LE(records[i - 1].finish, records[i].start);
  }
}

TEST_F(BenchRunnerTest, HundredsFlyAtOnce) {
  for (int i = 0; i < 300; ++i) AddRequest(absl::ZeroDuration(), {1}, 2);
  const std::vector<BenchRecord> records = Run();
  EXPECT_EQ(server_.requests().size(), 300);
  EXPECT_TRUE(std::all_of(records.begin(), records.end(),
                          [](const auto& r) { return r.output_tokens == 2; }));
}

TEST_F(BenchRunnerTest, AFailureIsRecordedAndTheRunGoesOn) {
  server_.generate_status = {grpc::StatusCode::RESOURCE_EXHAUSTED, "full"};
  AddRequest(absl::ZeroDuration(), {1}, 2);
  AddRequest(absl::ZeroDuration(), {1}, 2);
  const std::vector<BenchRecord> records = Run({.concurrency = 1});
  EXPECT_EQ(server_.requests().size(), 2);
  EXPECT_EQ(records[1].status.code(), absl::StatusCode::kResourceExhausted);
}

TEST_F(BenchRunnerTest, ReportsProgressToTheEnd) {
  AddRequest(absl::ZeroDuration(), {1}, 2);
  AddRequest(absl::ZeroDuration(), {1}, 2);
  BenchProgress last;
  Run({.report = [&](const BenchProgress& progress) { last = progress; }});
  EXPECT_EQ(last.done, 2);
  EXPECT_EQ(last.total, 2);
  EXPECT_EQ(last.output_tokens, 4);
}

}  // namespace
}  // namespace quire
