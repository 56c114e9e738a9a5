#include "scheduler/frontend/status_response.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/scheduler/frontend/text_proto.h"

namespace quire {
namespace {

using ::quire::testing::ToText;
using ::testing::ElementsAre;

TEST(StatusResponseTest, EveryFigureHasItsField) {
  const EngineSnapshot snapshot = {
      .epoch = Epoch(7),
      .num_waiting = 1,
      .num_running = 2,
      .waiting_tokens = 3,
      .blocks = {.total = 10,
                 .free = 5,
                 .active = 3,
                 .cached = 2,
                 .block_size = 16,
                 .used_slots = 40,
                 .bytes_per_block = 4096,
                 .host_total = 17,
                 .host_used = 18},
      .num_steps = 8,
      .generated_tokens = 9,
      .prompt_tokens = 11,
      .cached_tokens = 17,
      .num_preemptions = 12,
      .num_swap_preemptions = 19,
      .num_recomputed_tokens = 20,
      .num_blocks_swapped_out = 21,
      .num_blocks_swapped_in = 22,
      .requests = {{.name = "r",
                    .running = true,
                    .priority = Priority::kHigh,
                    .prompt_tokens = 13,
                    .generated_tokens = 14,
                    .num_blocks = 15,
                    .num_preemptions = 16,
                    .age = absl::Milliseconds(500)}},
  };
  const WorkerInfo worker = {.rank = Rank(1),
                             .up = true,
                             .instruction_set = "avx2",
                             .compute = "auto",
                             .kv_dtype = "bf16",
                             .peer = "ipv4:1"};
  EXPECT_EQ(
      ToText(ToStatusResponse(absl::OkStatus(), snapshot, {worker},
                              absl::Seconds(90))),
      "ready: true waiting_requests: 1 running_requests: 2 "
      "waiting_tokens: 3 "
      "blocks { total: 10 free: 5 active: 3 cached: 2 block_size: 16 "
      "used_slots: 40 bytes_per_block: 4096 host_total: 17 host_used: 18 } "
      "epoch: 7 steps: 8 generated_tokens: 9 prompt_tokens: 11 preemptions: 12 "
      "workers { rank: 1 up: true instruction_set: \"avx2\" compute: \"auto\" "
      "kv_dtype: \"bf16\" "
      "peer: \"ipv4:1\" } uptime_s: 90 "
      "requests { request_id: \"r\" running: true prompt_tokens: 13 "
      "generated_tokens: 14 blocks: 15 "
      "preemptions: 16 age_s: 0.5 priority: PRIORITY_HIGH } "
      "swap_preemptions: 19 recomputed_tokens: 20 "
      "blocks_swapped_out: 21 blocks_swapped_in: 22 "
      "cached_prompt_tokens: 17");
}

TEST(StatusResponseTest, NotReadyHasItsReason) {
  const v1::StatusResponse response = ToStatusResponse(
      absl::UnavailableError("draining"), {}, {}, absl::ZeroDuration());
  EXPECT_FALSE(response.ready());
  EXPECT_EQ(response.reason(), "draining");
}

TEST(StatusResponseTest, TheFirstRequestsAreReported) {
  EngineSnapshot snapshot;
  snapshot.requests.resize(300);
  snapshot.requests[255].name = "last";
  const v1::StatusResponse response =
      ToStatusResponse(absl::OkStatus(), snapshot, {}, absl::ZeroDuration());
  ASSERT_EQ(response.requests_size(), 256);
  EXPECT_EQ(response.requests(255).request_id(), "last");
}

// The byte of an active block with `used` of `block_size` slots in use.
int ActiveByte(uint16_t used, uint32_t block_size) {
  const EngineSnapshot snapshot = {
      .blocks = {.block_size = block_size},
      .block_states = {{.state = BlockState::kActive, .used_slots = used}}};
  return static_cast<unsigned char>(ToWatchBlocksResponse(absl::OkStatus(),
                                                          snapshot, {},
                                                          absl::ZeroDuration())
                                        .blocks()[0]);
}

TEST(StatusResponseTest, ABlocksByteHasStateAndFill) {
  EXPECT_EQ(ActiveByte(0, 16), 0b0000'01);
  EXPECT_EQ(ActiveByte(1, 16), 0b0000'01);
  EXPECT_EQ(ActiveByte(2, 16), 0b0001'01);
  EXPECT_EQ(ActiveByte(16, 16), 0b1111'01);
  EXPECT_EQ(ActiveByte(4, 32), 0b0001'01);
  EXPECT_EQ(ActiveByte(5, 32), 0b0010'01);
  EXPECT_EQ(ActiveByte(1, 3), 0b0101'01);
  EXPECT_EQ(ActiveByte(3, 3), 0b1111'01);
}

TEST(StatusResponseTest, OnlyActiveBlocksHaveAFill) {
  const EngineSnapshot snapshot = {
      .blocks = {.block_size = 16},
      .block_states = {{.state = BlockState::kFree, .used_slots = 9},
                       {.state = BlockState::kCached, .used_slots = 16}}};
  EXPECT_EQ(ToWatchBlocksResponse(absl::OkStatus(), snapshot, {},
                                  absl::ZeroDuration())
                .blocks(),
            std::string("\0\2", 2));
}

TEST(StatusResponseTest, AnOwnerIsOneOfTheReportedRequests) {
  EngineSnapshot snapshot;
  snapshot.requests.resize(300);
  snapshot.block_states = {
      {.request = -1}, {.request = 0}, {.request = 255}, {.request = 256}};
  const v1::WatchBlocksResponse response = ToWatchBlocksResponse(
      absl::OkStatus(), snapshot, {}, absl::ZeroDuration());
  EXPECT_THAT(response.owner(), ElementsAre(0, 1, 256, 0));
  EXPECT_EQ(response.status().requests_size(), 256);
}

}  // namespace
}  // namespace quire
