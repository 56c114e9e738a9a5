#include "scheduler/frontend/generate_reactor.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scheduler/frontend/service_harness.h"
#include "tests/scheduler/frontend/text_proto.h"

namespace quire {
namespace {

using ::quire::testing::Bytes;
using ::quire::testing::ByteTokenizer;
using ::quire::testing::FromText;
using ::quire::testing::GenerateCall;
using ::quire::testing::ServiceHarness;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr RequestUsage kUsage = {
    .prompt_tokens = 5, .cached_prompt_tokens = 4, .generated_tokens = 3};

v1::GenerateRequest Prompt(const std::string& text) {
  v1::GenerateRequest request;
  request.set_text(text);
  return request;
}

class GenerateReactorTest : public ::testing::Test {
 protected:
  std::unique_ptr<GenerateCall> Open(
      const v1::GenerateRequest& request,
      absl::Time deadline = absl::InfiniteFuture()) {
    return std::make_unique<GenerateCall>(&harness_, request, deadline);
  }

  // A call that the engine has taken; `request_` is what it got.
  std::unique_ptr<GenerateCall> OpenAndTake(const std::string& text = "Hi") {
    auto call = Open(Prompt(text));
    request_ = harness_.engine().AwaitRequest();
    return call;
  }

  // The engine's side.
  void Say(const std::string& text) {
    const std::vector<Token> tokens = Bytes(text);
    request_.mailbox->Append(
        {.text = text, .tokens = {tokens.begin(), tokens.end()}});
  }
  void Close(absl::Status status) {
    request_.mailbox->Close(std::move(status), kUsage);
  }

  // A request that the engine never sees.
  grpc::Status Refusal(const v1::GenerateRequest& request) {
    auto call = Open(request);
    v1::GenerateResponse response;
    EXPECT_FALSE(call->Read(&response));
    EXPECT_EQ(harness_.engine().num_submitted(), 0u);
    return call->Finish();
  }

  ServiceHarness harness_;
  GenerationRequest request_;
};

TEST_F(GenerateReactorTest, StreamedDeltasAddUpAndTheLastMessageHasUsage) {
  auto call = OpenAndTake();
  v1::GenerateResponse first;
  Say("Hello");
  ASSERT_TRUE(call->Read(&first));
  EXPECT_EQ(first.text(), "Hello");
  EXPECT_FALSE(first.has_usage());
  Say(", ");
  Say("world");
  request_.mailbox->Append(
      {.finish_reason = FinishReason::kStop, .stop_reason = "257"});
  Close(absl::OkStatus());

  const v1::GenerateResponse rest = call->ReadAll();
  EXPECT_EQ(rest.text(), ", world");
  EXPECT_EQ(
      std::vector<Token>(rest.token_ids().begin(), rest.token_ids().end()),
      Bytes(", world"));
  EXPECT_EQ(rest.finish_reason(), v1::FINISH_REASON_STOP);
  EXPECT_EQ(rest.stop_reason(), "257");
  EXPECT_EQ(rest.usage().generated_tokens(), 3u);
  EXPECT_TRUE(call->Finish().ok());
}

TEST_F(GenerateReactorTest, TheEngineGetsTheRequestComplete) {
  auto call = OpenAndTake("Hi");
  EXPECT_EQ(request_.prompt,
            std::vector<Token>({ByteTokenizer::kBos, 'H', 'i'}));
  EXPECT_EQ(request_.max_tokens, 8189u);
  EXPECT_EQ(request_.sampling.seed(), 99u);
  EXPECT_THAT(request_.stop_tokens,
              ElementsAre(ByteTokenizer::kEos, ByteTokenizer::kTurn));
  EXPECT_EQ(request_.deadline, absl::InfiniteFuture());
  ASSERT_EQ(request_.filters.size(), 1u);
  EXPECT_NE(request_.filters[0], nullptr);
  EXPECT_THAT(request_.name, StartsWith("request-"));
  Close(absl::OkStatus());
  call->ReadAll();
}

TEST_F(GenerateReactorTest, ACallBeyondThoseThatMayBeOpenIsRefused) {
  std::vector<std::unique_ptr<GenerateCall>> calls;
  for (uint32_t i = 0; i < ServiceHarness::kMaxOpenCalls; ++i) {
    calls.push_back(OpenAndTake());
  }
  auto refused = Open(Prompt("Hi"));
  v1::GenerateResponse response;
  EXPECT_FALSE(refused->Read(&response));
  const grpc::Status status = refused->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(status.error_message(),
              StartsWith("100 Generate calls are open, as many as may be"));
}

TEST_F(GenerateReactorTest, ACallThatEndsGivesItsPlaceBack) {
  for (uint32_t i = 0; i < 3 * ServiceHarness::kMaxOpenCalls; ++i) {
    auto call = OpenAndTake();
    Close(absl::OkStatus());
    call->ReadAll();
    EXPECT_TRUE(call->Finish().ok());
  }
}

TEST_F(GenerateReactorTest, EachCallHasItsOwnId) {
  auto first = OpenAndTake();
  const RequestId id = request_.id;
  Close(absl::OkStatus());
  auto second = OpenAndTake();
  EXPECT_NE(request_.id, id);
  Close(absl::OkStatus());
  first->ReadAll();
  second->ReadAll();
}

TEST_F(GenerateReactorTest, ASlowReaderGetsFewerAndLargerMessages) {
  auto call = OpenAndTake();
  const std::string piece(1000, 'x');
  std::string said;
  // Nobody reads, so gRPC takes no more than its window and the rest waits in
  // the mailbox.
  for (int i = 0; i < 3000; ++i) {
    Say(piece);
    said += piece;
  }
  Close(absl::OkStatus());
  const v1::GenerateResponse all = call->ReadAll();
  EXPECT_EQ(all.text(), said);
  EXPECT_EQ(static_cast<size_t>(all.token_ids_size()), said.size());
  EXPECT_LT(call->num_messages(), 3000);
  EXPECT_TRUE(call->Finish().ok());
}

TEST_F(GenerateReactorTest, AClientThatGoesAwayIsCancelledOnce) {
  auto call = OpenAndTake();
  const RequestId id = request_.id;
  Say("Hello");
  call->Cancel();
  harness_.engine().AwaitCancels(1);
  Close(absl::CancelledError());
  call->ReadAll();
  EXPECT_EQ(call->Finish().error_code(), grpc::StatusCode::CANCELLED);
  harness_.ShutDown();
  EXPECT_THAT(harness_.engine().cancelled(), ElementsAre(id));
}

TEST_F(GenerateReactorTest, TheEngineMayCloseAfterTheServerIsGone) {
  auto call = OpenAndTake();
  call->Cancel();
  harness_.engine().AwaitCancels(1);
  harness_.ShutDown();
  Say("late");
  Close(absl::CancelledError());
}

TEST_F(GenerateReactorTest, TheDeadlineIsTheEnginesToo) {
  const absl::Time deadline = absl::Now() + absl::Hours(1);
  auto call = Open(Prompt("Hi"), deadline);
  const GenerationRequest request = harness_.engine().AwaitRequest();
  // The deadline travels as the time that is left.
  EXPECT_LT(absl::AbsDuration(request.deadline - deadline), absl::Minutes(1));
}

TEST_F(GenerateReactorTest, ACallWhoseDeadlinePassesIsCancelledInTheEngine) {
  auto call = Open(Prompt("Hi"), absl::Now() + absl::Milliseconds(300));
  call->ReadAll();
  EXPECT_EQ(call->Finish().error_code(), grpc::StatusCode::DEADLINE_EXCEEDED);
  // One, unless the machine took longer than that to open the call.
  harness_.engine().AwaitCancels(harness_.engine().num_submitted());
}

TEST_F(GenerateReactorTest,
       ARefusalOfTheEngineReachesTheClientWithAHintWhenToRetry) {
  auto call = OpenAndTake();
  Close(absl::ResourceExhaustedError("1024 requests wait, the most that may"));
  call->ReadAll();
  const grpc::Status status = call->Finish();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_EQ(status.error_message(), "1024 requests wait, the most that may");
  EXPECT_EQ(call->Trailer("retry-after-ms"), "1000");
}

TEST_F(GenerateReactorTest, AFailureComesAfterAllThatWasSaidBeforeIt) {
  for (int i = 0; i < 100; ++i) {
    auto call = OpenAndTake();
    Say("one ");
    Say("two");
    Close(absl::UnavailableError("going down"));
    const v1::GenerateResponse all = call->ReadAll();
    EXPECT_EQ(all.text(), "one two");
    EXPECT_FALSE(all.has_usage());
    const grpc::Status status = call->Finish();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    EXPECT_EQ(status.error_message(), "going down");
    EXPECT_EQ(call->Trailer("retry-after-ms"), "");
  }
}

TEST_F(GenerateReactorTest, ShutdownEndsOpenStreams) {
  auto idle = OpenAndTake();
  auto unread = OpenAndTake();
  Say(std::string(1 << 20, 'x'));
  harness_.ShutDown();
  harness_.engine().AwaitCancels(2);
  EXPECT_EQ(harness_.engine().cancelled().size(), 2u);
  idle->ReadAll();
  EXPECT_FALSE(idle->Finish().ok());
  unread->ReadAll();
  EXPECT_FALSE(unread->Finish().ok());
}

TEST_F(GenerateReactorTest, AnInvalidRequestIsRefusedWithItsReason) {
  v1::GenerateRequest request = Prompt("Hi");
  request.mutable_sampling()->set_temperature(-1);
  const grpc::Status status = Refusal(request);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(),
            "sampling.temperature is -1; it must be finite and at least 0");
}

TEST_F(GenerateReactorTest, WhatTheTokenizerRefusesIsRefused) {
  EXPECT_EQ(Refusal(Prompt("\1")).error_message(), "text has byte 1");
  EXPECT_EQ(Refusal(Prompt(std::string(5000, '\1'))).error_message(),
            "text has byte 1");
}

TEST_F(GenerateReactorTest, ATextThatCannotFitIsRefusedWithoutTokenizingIt) {
  harness_.tokenizer().on_encode = [] { FAIL() << "tokenized"; };
  const grpc::Status status = Refusal(Prompt(std::string(10 << 20, 'x')));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(status.error_message(),
            "text has 10485760 bytes; the context length of 8192 tokens, of at "
            "most 6 bytes each, can hold 49152");
}

TEST_F(GenerateReactorTest, InvalidUtf8EndsTheCallAndNotTheServer) {
  EXPECT_FALSE(Refusal(Prompt("a\xff")).ok());
  auto call = OpenAndTake("a");
  Close(absl::OkStatus());
  call->ReadAll();
  EXPECT_TRUE(call->Finish().ok());
}

TEST_F(GenerateReactorTest, AChatWithoutAKnownTemplateIsUnimplemented) {
  const grpc::Status status = Refusal(FromText<v1::GenerateRequest>(
      "chat { messages { role: 'user' content: 'Hi' } }"));
  EXPECT_EQ(status.error_code(), grpc::StatusCode::UNIMPLEMENTED);
  EXPECT_EQ(status.error_message(),
            "chat: the model's template is of no known family");
}

TEST_F(GenerateReactorTest, ALongPromptIsTokenizedElsewhereAndServed) {
  auto call = OpenAndTake(std::string(8000, 'x'));
  EXPECT_EQ(request_.prompt.size(), 8001u);
  Say("Hello");
  Close(absl::OkStatus());
  EXPECT_EQ(call->ReadAll().text(), "Hello");
  EXPECT_TRUE(call->Finish().ok());
}

TEST_F(GenerateReactorTest,
       ACallCancelledWhileItIsTokenizedNeverReachesTheEngineOrLeavesIt) {
  absl::Notification tokenizing;
  absl::Notification release;
  harness_.tokenizer().on_encode = [&] {
    tokenizing.Notify();
    release.WaitForNotification();
  };
  auto call = Open(Prompt(std::string(8000, 'x')));
  tokenizing.WaitForNotification();
  call->Cancel();
  call->ReadAll();
  EXPECT_EQ(call->Finish().error_code(), grpc::StatusCode::CANCELLED);
  release.Notify();
  harness_.ShutDown();
  EXPECT_EQ(harness_.engine().cancelled().size(),
            harness_.engine().num_submitted());
}

TEST_F(GenerateReactorTest, ManyStreamsAtOnceKeepTheirTextsApart) {
  std::vector<std::unique_ptr<GenerateCall>> calls;
  std::vector<GenerationRequest> requests;
  for (int i = 0; i < 50; ++i) {
    calls.push_back(Open(Prompt(std::string(1, 'A' + i % 26))));
    requests.push_back(harness_.engine().AwaitRequest());
  }
  for (int round = 0; round < 20; ++round) {
    for (const GenerationRequest& request : requests)
      request.mailbox->Append(
          {.text = std::string(1, static_cast<char>(request.prompt.back()))});
  }
  for (const GenerationRequest& request : requests)
    request.mailbox->Close(absl::OkStatus(), kUsage);
  for (int i = 0; i < 50; ++i) {
    EXPECT_EQ(calls[i]->ReadAll().text(), std::string(20, 'A' + i % 26));
    EXPECT_TRUE(calls[i]->Finish().ok());
  }
}

}  // namespace
}  // namespace quire
