// What a request says about its place, before whole processes: who comes first,
// how much memory it may take, and by when it must have ended.

#include <deque>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "gmock/gmock.h"
#include "grpcpp/client_context.h"
#include "gtest/gtest.h"
#include "tests/testing/generate_client.h"
#include "tests/testing/reference_prompts.h"
#include "tests/testing/test_cluster.h"

namespace quire {
namespace {

using quire::v1::GenerateRequest;
using quire::v1::RequestStatus;
using testing::ElementsAre;
using testing::HasSubstr;

// One request runs at a time; a worker may be paused for as long as a test
// likes.
ServerOptions OneAtATime() {
  ServerOptions options;
  options.model = TinyModelPath("llama3rope_f32");
  options.engine.max_running_sequences = 1;
  options.step_timeout = absl::Hours(1);
  return options;
}

GenerateRequest Request(const std::string& name, quire::v1::Priority priority,
                        uint32_t max_tokens) {
  GenerateRequest request = GreedyRequest({5, 6, 7, 8, 9}, max_tokens);
  request.mutable_output()->clear_prompt_logprobs();
  request.set_request_id(name);
  request.set_priority(priority);
  return request;
}

// A call that is under way.
class OpenCall {
 public:
  OpenCall(TestCluster& cluster, const GenerateRequest& request,
           absl::Duration timeout = absl::Hours(1)) {
    context_.set_deadline(absl::ToChronoTime(absl::Now() + timeout));
    stream_ = cluster.stub().Generate(&context_, request);
  }
  grpc::Status Finish() {
    quire::v1::GenerateResponse message;
    while (stream_->Read(&message)) {
    }
    return stream_->Finish();
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderInterface<quire::v1::GenerateResponse>>
      stream_;
};

TEST(RequestPlaceTest, PrioritiesOrderTheQueue) {
  TestCluster cluster(OneAtATime(), {"--compute=f32"});
  cluster.worker().Pause();
  OpenCall first(cluster, Request("first", quire::v1::PRIORITY_NORMAL, 2));
  cluster.WaitUntilOpen(1);
  OpenCall low(cluster, Request("low", quire::v1::PRIORITY_LOW, 2));
  cluster.WaitUntilOpen(2);
  OpenCall normal(cluster, Request("normal", quire::v1::PRIORITY_NORMAL, 2));
  cluster.WaitUntilOpen(3);
  OpenCall high(cluster, Request("high", quire::v1::PRIORITY_HIGH, 2));
  cluster.WaitUntilOpen(4);
  const quire::v1::StatusResponse status = cluster.Status();
  std::vector<std::string> names;
  for (const RequestStatus& request : status.requests()) {
    names.push_back(request.request_id());
  }
  EXPECT_THAT(names, ElementsAre("first", "high", "normal", "low"));
  cluster.worker().Resume();
  for (OpenCall* call : {&first, &low, &normal, &high}) {
    EXPECT_TRUE(call->Finish().ok());
  }
}

TEST(RequestPlaceTest, ABudgetEndsEverySequenceWithinIt) {
  ServerOptions options = OneAtATime();
  options.engine.max_running_sequences = 3;
  TestCluster cluster(options, {"--compute=f32"});
  GenerateRequest request = Request("", quire::v1::PRIORITY_NORMAL, 100);
  request.set_n(3);
  request.set_kv_budget_tokens(5 + 3 * 7 + 2);
  const Generated answer = Generate(cluster.stub(), request);
  ASSERT_TRUE(answer.status.ok()) << answer.status.error_message();
  EXPECT_EQ(answer.usage.generated_tokens(), 3u * 7u);
  EXPECT_EQ(answer.finish_reason, quire::v1::FINISH_REASON_LENGTH);
  request.set_kv_budget_tokens(7);
  const Generated refused = Generate(cluster.stub(), request);
  EXPECT_EQ(refused.status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(refused.status.error_message(), HasSubstr("kv_budget_tokens"));
}

std::vector<Token> LongPrompt(int seed) {
  std::mt19937 random(seed);
  std::vector<Token> tokens(1500);
  for (Token& token : tokens) token = static_cast<Token>(3 + random() % 500);
  return tokens;
}

// With fifty prompts ahead there is time for five.
TEST(RequestPlaceTest, ADeadlineThatCannotBeMetIsRefusedAtOnce) {
  TestCluster cluster(OneAtATime(), {"--compute=f32"});
  const absl::Time start = absl::Now();
  ASSERT_TRUE(
      Generate(cluster.stub(), GreedyRequest(LongPrompt(0), 1)).status.ok());
  const absl::Duration taken = absl::Now() - start;

  cluster.worker().Pause();
  std::deque<OpenCall> ahead;
  for (int i = 1; i <= 51; ++i) {
    ahead.emplace_back(cluster, GreedyRequest(LongPrompt(i), 1));
  }
  cluster.WaitUntilOpen(51);
  OpenCall hasty(cluster, GreedyRequest(LongPrompt(100), 1), 5 * taken);
  const grpc::Status status = hasty.Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  EXPECT_THAT(status.error_message(), HasSubstr("cannot be met"));
  EXPECT_EQ(cluster.Metric("quire_requests_total{outcome=\"unmeetable\"}"), 1);
  cluster.worker().Resume();
  for (OpenCall& call : ahead) EXPECT_TRUE(call.Finish().ok());
}

}  // namespace
}  // namespace quire
