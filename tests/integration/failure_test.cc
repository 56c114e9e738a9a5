// What clients see when workers die, hang or are missing, when clients vanish,
// and when the queue is full. All against a real worker process.

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/time/clock.h"
#include "grpcpp/grpcpp.h"
#include "gtest/gtest.h"
#include "tests/testing/generate_client.h"
#include "tests/testing/reference_prompts.h"
#include "tests/testing/test_cluster.h"

namespace quire {
namespace {

constexpr char kModel[] = "llama3rope_f32";

class FailureTest : public testing::Test {
 protected:
  static ServerOptions Options() {
    ServerOptions options;
    options.model = TinyModelPath(kModel);
    return options;
  }

  static quire::v1::GenerateRequest Long(uint32_t max_tokens = 1500) {
    return GreedyRequest(TinyReference(kModel)[0].prompt_ids, max_tokens);
  }

  // Calls `strike` when the stream has brought its first tokens.
  static Generated GenerateAndStrike(TestCluster& cluster,
                                     const std::function<void()>& strike) {
    bool struck = false;
    return Generate(cluster.stub(), Long(),
                    [&](const quire::v1::GenerateResponse& response) {
                      if (struck || response.token_ids().empty()) return;
                      struck = true;
                      strike();
                    });
  }

  static void ExpectAllBlocksFree(TestCluster& cluster) {
    const quire::v1::StatusResponse status = cluster.WaitUntilIdle();
    EXPECT_EQ(status.blocks().active(), 0u);
    EXPECT_EQ(cluster.Metric("quire_consistency_violations_total"), 0);
  }
};

TEST_F(FailureTest, AKilledWorkerCostsAPauseAndNoToken) {
  TestCluster cluster(Options(), {});
  const Generated undisturbed = Generate(cluster.stub(), Long());
  for (int round = 0; round < 5; ++round) {
    const Generated disturbed = GenerateAndStrike(cluster, [&] {
      cluster.KillWorker();
      cluster.StartWorker();
    });
    ASSERT_TRUE(disturbed.status.ok()) << disturbed.status.error_message();
    EXPECT_TRUE(SameBits(disturbed, undisturbed));
    EXPECT_EQ(disturbed.usage.generated_tokens(), 1500u);
  }
  ExpectAllBlocksFree(cluster);
}

TEST_F(FailureTest, WithoutItsWorkerTheServerIsNotReadyAndSaysWhy) {
  TestCluster cluster(Options(), {});
  cluster.KillWorker();
  while (cluster.server().CheckReady().ok()) {
    absl::SleepFor(absl::Milliseconds(2));
  }
  const quire::v1::StatusResponse status = cluster.Status();
  EXPECT_FALSE(status.ready());
  EXPECT_FALSE(status.reason().empty());
  cluster.StartWorker();
  cluster.WaitUntilReady();
  EXPECT_TRUE(cluster.Status().ready());
}

TEST_F(FailureTest, AHungWorkerEndsItsEpochAndStreamsContinue) {
  ServerOptions options = Options();
  options.step_timeout = absl::Seconds(1);
  TestCluster cluster(options, {});
  const Generated undisturbed = Generate(cluster.stub(), Long());
  const uint64_t epoch = cluster.Status().epoch();
  std::thread waker;
  const Generated disturbed = GenerateAndStrike(cluster, [&] {
    cluster.worker().Pause();
    waker = std::thread([&] {
      while (cluster.Status().ready()) absl::SleepFor(absl::Milliseconds(5));
      absl::SleepFor(absl::Seconds(1));
      cluster.worker().Resume();
    });
  });
  waker.join();
  ASSERT_TRUE(disturbed.status.ok()) << disturbed.status.error_message();
  EXPECT_TRUE(SameBits(disturbed, undisturbed));
  EXPECT_GT(cluster.Status().epoch(), epoch);
}

TEST_F(FailureTest, BlocksOfAVanishedClientComeBack) {
  TestCluster cluster(Options(), {});
  for (int i = 0; i < 20; ++i) {
    grpc::ClientContext context;
    auto reader = cluster.stub().Generate(&context, Long());
    quire::v1::GenerateResponse response;
    ASSERT_TRUE(reader->Read(&response));
    context.TryCancel();
    EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
  }
  ExpectAllBlocksFree(cluster);
}

TEST_F(FailureTest, APassedDeadlineGivesTheBlocksBack) {
  TestCluster cluster(Options(), {});
  grpc::ClientContext context;
  context.set_deadline(std::chrono::system_clock::now() +
                       std::chrono::milliseconds(50));
  auto reader = cluster.stub().Generate(&context, Long(2000));
  quire::v1::GenerateResponse response;
  while (reader->Read(&response)) {
  }
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  ExpectAllBlocksFree(cluster);
}

TEST_F(FailureTest, ALateShortRequestFinishesWhileALongOneRuns) {
  TestCluster cluster(Options(), {});
  uint32_t short_tokens = 0;
  const Generated long_one = GenerateAndStrike(cluster, [&] {
    const Generated short_one = Generate(cluster.stub(), Long(4));
    short_tokens = short_one.usage.generated_tokens();
    EXPECT_EQ(cluster.Status().running_requests(), 1u);
  });
  EXPECT_EQ(short_tokens, 4u);
  EXPECT_EQ(long_one.usage.generated_tokens(), 1500u);
  // Some steps held both.
  EXPECT_GT(cluster.Metric("quire_step_sequences_count"),
            cluster.Metric("quire_step_sequences_bucket{le=\"1\"}"));
}

TEST_F(FailureTest, AFullQueueRefusesAndTheOthersAreNotDisturbed) {
  ServerOptions options = Options();
  options.engine.max_running_sequences = 1;
  options.engine.max_waiting_requests = 1;
  TestCluster cluster(options, {});
  const std::vector<Generated> answers =
      GenerateAll(cluster.stub(), std::vector(12, Long(200)));
  int refused = 0;
  for (const Generated& answer : answers) {
    if (answer.status.ok()) {
      EXPECT_EQ(answer.usage.generated_tokens(), 200u);
    } else {
      EXPECT_EQ(answer.status.error_code(),
                grpc::StatusCode::RESOURCE_EXHAUSTED);
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 12);
}

TEST_F(FailureTest, ARequestThatThePoolCanNeverHoldIsRefusedAtOnce) {
  ServerOptions options = Options();
  options.num_blocks = 4;
  TestCluster cluster(options, {});
  const Generated answer = Generate(cluster.stub(), Long(1500));
  EXPECT_EQ(answer.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_TRUE(Generate(cluster.stub(), Long(20)).status.ok());
}

TEST_F(FailureTest, RandomClientsAndDyingWorkersLeaveNothingBehind) {
  ServerOptions options = Options();
  options.num_blocks = 128;
  TestCluster cluster(options, {});
  const Generated expected = Generate(cluster.stub(), Long(300));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 24; ++i) {
    clients.emplace_back([&, i] {
      const auto client = cluster.NewClient();
      grpc::ClientContext context;
      if (i % 3 == 0) {
        context.set_deadline(std::chrono::system_clock::now() +
                             std::chrono::milliseconds(20 * i));
      }
      auto reader = client->Generate(&context, Long(300));
      quire::v1::GenerateResponse response;
      std::vector<Token> ids;
      while (reader->Read(&response)) {
        ids.insert(ids.end(), response.token_ids().begin(),
                   response.token_ids().end());
        if (i % 3 == 1 && ids.size() > 10u * i) context.TryCancel();
      }
      const grpc::Status status = reader->Finish();
      const bool prefix =
          ids.size() <= expected.ids.size() &&
          std::equal(ids.begin(), ids.end(), expected.ids.begin());
      if (!prefix || (status.ok() && ids != expected.ids)) ++wrong;
      if (i % 3 == 2 && !status.ok()) ++wrong;
    });
  }
  for (int kill = 0; kill < 3; ++kill) {
    cluster.KillWorker();
    cluster.StartWorker();
    cluster.WaitUntilReady();
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(wrong, 0);
  ExpectAllBlocksFree(cluster);
}

}  // namespace
}  // namespace quire
