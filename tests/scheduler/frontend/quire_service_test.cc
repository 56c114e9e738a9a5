#include "scheduler/frontend/quire_service.h"

#include <string>

#include "gtest/gtest.h"
#include "scheduler/frontend/watch_blocks_reactor.h"
#include "tests/scheduler/frontend/service_harness.h"
#include "tests/scheduler/frontend/text_proto.h"

namespace quire {
namespace {

using ::quire::testing::FromText;
using ::quire::testing::ServiceHarness;
using ::quire::testing::ToText;
using ::quire::testing::TurnTemplate;

class QuireServiceTest : public ::testing::Test {
 protected:
  // Calls a unary method with a request in text form. The answer's text form,
  // or the error's message.
  template <typename Request, typename Response>
  std::string Call(grpc::Status (v1::Quire::Stub::*method)(grpc::ClientContext*,
                                                           const Request&,
                                                           Response*),
                   const std::string& request) {
    grpc::ClientContext context;
    Response response;
    const grpc::Status status = (harness_.stub().*method)(
        &context, FromText<Request>(request), &response);
    return status.ok() ? ToText(response) : status.error_message();
  }

  TurnTemplate template_;
  ServiceHarness harness_{&template_};
};

TEST_F(QuireServiceTest, DescribesTheModel) {
  EXPECT_EQ(Call(&v1::Quire::Stub::GetModel, ""),
            "name: \"fake\" architecture: \"llama\" fingerprint: "
            "\"0123456789abcdef\" vocabulary_size: 300 "
            "context_length: 8192 eos_token_ids: 257 eos_token_ids: 258 "
            "chat_template: \"turns\" "
            "num_parameters: 1234 longest_token_bytes: 6");
}

TEST_F(QuireServiceTest, Tokenizes) {
  EXPECT_EQ(Call(&v1::Quire::Stub::Tokenize, "text: 'ab'"),
            "ids: 256 ids: 97 ids: 98");
  EXPECT_EQ(Call(&v1::Quire::Stub::Tokenize, ""),
            "input is not set; it must be one of text and chat");
}

TEST_F(QuireServiceTest, TokenizesLongTextsToo) {
  grpc::ClientContext context;
  v1::TokenizeRequest request;
  request.set_text(std::string(100'000, 'x'));
  v1::TokenizeResponse response;
  ASSERT_TRUE(harness_.stub().Tokenize(&context, request, &response).ok());
  EXPECT_EQ(response.ids_size(), 100'001);
}

TEST_F(QuireServiceTest, Detokenizes) {
  EXPECT_EQ(Call(&v1::Quire::Stub::Detokenize, "ids: [72, 105, 257]"),
            "text: \"Hi<eos>\"");
  EXPECT_EQ(Call(&v1::Quire::Stub::Detokenize, "ids: 300"),
            "ids[0] is 300; it must be at least 0 and below the vocabulary "
            "size, 300");
}

TEST_F(QuireServiceTest, StatusJoinsSnapshotReadinessWorkersAndUptime) {
  harness_.engine().set_snapshot({.num_running = 3, .block_states = {{}}});
  harness_.clock().now += absl::Seconds(90);
  EXPECT_EQ(Call(&v1::Quire::Stub::Status, ""),
            "reason: \"no worker\" running_requests: 3 blocks { } "
            "workers { up: true } uptime_s: 90");
}

TEST_F(QuireServiceTest, WatchBlocksShowsTheBlocksAgainAndAgain) {
  harness_.engine().set_snapshot(
      {.block_states = {{.state = BlockState::kCached}}});
  grpc::ClientContext context;
  auto reader = harness_.stub().WatchBlocks(
      &context, FromText<v1::WatchBlocksRequest>("interval_ms: 50"));
  v1::WatchBlocksResponse response;
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.blocks(), "\2");
  harness_.engine().set_snapshot(
      {.block_states = {{.state = BlockState::kFree}}});
  while (response.blocks() != std::string(1, '\0'))
    ASSERT_TRUE(reader->Read(&response));
  context.TryCancel();
  while (reader->Read(&response)) continue;
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
}

TEST_F(QuireServiceTest, WatchBlocksHasBoundsOfItsInterval) {
  for (const char* request :
       {"interval_ms: 49", "interval_ms: 60001", "interval_ms: 0"}) {
    grpc::ClientContext context;
    auto reader = harness_.stub().WatchBlocks(
        &context, FromText<v1::WatchBlocksRequest>(request));
    v1::WatchBlocksResponse response;
    EXPECT_FALSE(reader->Read(&response));
    EXPECT_EQ(reader->Finish().error_code(),
              grpc::StatusCode::INVALID_ARGUMENT);
  }
  EXPECT_EQ(WatchInterval(FromText<v1::WatchBlocksRequest>("interval_ms: 49"))
                .status()
                .message(),
            "interval_ms is 49; it must be from 50 to 60000");
  EXPECT_EQ(*WatchInterval({}), absl::Milliseconds(500));
}

TEST_F(QuireServiceTest, ShutdownEndsWatchersThatWaitForTheirAlarm) {
  grpc::ClientContext context;
  auto reader = harness_.stub().WatchBlocks(
      &context, FromText<v1::WatchBlocksRequest>("interval_ms: 60000"));
  v1::WatchBlocksResponse response;
  ASSERT_TRUE(reader->Read(&response));
  harness_.ShutDown();
  EXPECT_FALSE(reader->Read(&response));
  EXPECT_FALSE(reader->Finish().ok());
}

}  // namespace
}  // namespace quire
