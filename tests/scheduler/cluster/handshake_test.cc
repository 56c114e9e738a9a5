#include "scheduler/cluster/handshake.h"

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using worker::v1::Hello;

// Two ranks of a group with blocks of 16 slots, 100 bytes a slot.
HandshakeTerms Terms() {
  return {.model_fingerprint = "00112233aabbccdd",
          .world_size = 2,
          .block_size = 16,
          .max_step_rows = 512};
}

Hello HelloOf(uint32_t rank) {
  Hello hello;
  hello.set_protocol_version(1);
  hello.set_model_fingerprint("00112233aabbccdd");
  hello.set_rank(rank);
  hello.set_world_size(2);
  hello.set_kv_dtype("bf16");
  hello.set_compute("auto");
  hello.set_instruction_set("avx512");
  hello.set_bytes_per_slot(100);
  hello.set_kv_cache_bytes(16'000);
  hello.set_block_size_multiple(16);
  hello.set_process_id(70 + rank);
  hello.set_communicator("shm");
  hello.set_rendezvous("unix:@quire-5");
  return hello;
}

TEST(CheckHelloTest, RanksThatAgreeMayJoin) {
  EXPECT_TRUE(CheckHello(HelloOf(0), Terms(), {}).ok());
  EXPECT_TRUE(CheckHello(HelloOf(1), Terms(), {HelloOf(0)}).ok());
  EXPECT_TRUE(CheckHello(HelloOf(0), Terms(), {HelloOf(1)}).ok());
}

TEST(CheckHelloTest, RanksMayHoldSharesOfDifferentSizes) {
  Hello hello = HelloOf(1);
  hello.set_bytes_per_slot(200);
  EXPECT_TRUE(CheckHello(hello, Terms(), {HelloOf(0)}).ok());
}

TEST(CheckHelloTest, OnlyOneOfSeveralRanksNeedsARendezvous) {
  Hello hello = HelloOf(0);
  hello.clear_rendezvous();
  EXPECT_EQ(std::string(CheckHello(hello, Terms(), {}).message()),
            "the worker's rendezvous has 0 bytes; it has 1 to 300");
  hello.set_rank(1);
  EXPECT_TRUE(CheckHello(hello, Terms(), {}).ok());
  HandshakeTerms alone = Terms();
  alone.world_size = 1;
  hello.set_rank(0);
  hello.set_world_size(1);
  EXPECT_TRUE(CheckHello(hello, alone, {}).ok());
}

TEST(CheckHelloTest, ExactlyOneBlockIsEnough) {
  Hello hello = HelloOf(0);
  hello.set_kv_cache_bytes(1'600);
  EXPECT_TRUE(CheckHello(hello, Terms(), {}).ok());
}

TEST(CheckHelloTest, AnyBlockSizeSuitsAWorkerWithoutAMultiple) {
  Hello hello = HelloOf(0);
  hello.set_block_size_multiple(0);
  HandshakeTerms terms = Terms();
  terms.block_size = 7;
  EXPECT_TRUE(CheckHello(hello, terms, {}).ok());
}

// A rank 1 that differs in one thing from a rank 0 that is attached.
struct Refusal {
  std::string name;
  std::function<void(Hello&)> change;
  absl::StatusCode code;
  std::string message;  // All of it.
};

void PrintTo(const Refusal& refusal, std::ostream* os) { *os << refusal.name; }

class RefusalTest : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusalTest, NamesBothValues) {
  Hello hello = HelloOf(1);
  GetParam().change(hello);
  const absl::Status status = CheckHello(hello, Terms(), {HelloOf(0)});
  EXPECT_EQ(status.code(), GetParam().code);
  EXPECT_EQ(std::string(status.message()), GetParam().message);
}

constexpr absl::StatusCode kNever = absl::StatusCode::kFailedPrecondition;
constexpr absl::StatusCode kNotNow = absl::StatusCode::kAlreadyExists;

INSTANTIATE_TEST_SUITE_P(
    Handshake, RefusalTest,
    ::testing::Values(
        Refusal{"ProtocolVersion", [](Hello& h) { h.set_protocol_version(2); },
                kNever,
                "the worker's protocol_version is 2, the scheduler's is 1"},
        Refusal{"Fingerprint",
                [](Hello& h) { h.set_model_fingerprint("ffff"); }, kNever,
                "the worker's model_fingerprint is ffff, the scheduler's is "
                "00112233aabbccdd"},
        Refusal{"WorldSize", [](Hello& h) { h.set_world_size(4); }, kNever,
                "the worker's world_size is 4, the scheduler's is 2"},
        Refusal{"RankOutOfRange", [](Hello& h) { h.set_rank(2); }, kNever,
                "the worker's rank is 2, ranks of this group are below 2"},
        Refusal{"RankTaken", [](Hello& h) { h.set_rank(0); }, kNotNow,
                "rank 0 is attached already, by process 70; this is process "
                "71"},
        Refusal{"KvDtype", [](Hello& h) { h.set_kv_dtype("f32"); }, kNever,
                "the worker's kv_dtype is f32, that of rank 0 is bf16"},
        Refusal{"Compute", [](Hello& h) { h.set_compute("f32"); }, kNever,
                "the worker's compute is f32, that of rank 0 is auto"},
        Refusal{"InstructionSet",
                [](Hello& h) { h.set_instruction_set("avx2"); }, kNever,
                "the worker's instruction_set is avx2, that of rank 0 is "
                "avx512"},
        Refusal{"Communicator", [](Hello& h) { h.set_communicator("gloo"); },
                kNever,
                "the worker's communicator is gloo, that of rank 0 is shm"},
        Refusal{"NoBytesPerSlot", [](Hello& h) { h.set_bytes_per_slot(0); },
                kNever,
                "the worker's bytes_per_slot is 0; it lies within 1 and "
                "1099511627776"},
        Refusal{"BlockSizeMultiple",
                [](Hello& h) { h.set_block_size_multiple(32); }, kNever,
                "the scheduler's block_size is 16 slots, the worker needs a "
                "multiple of 32"},
        Refusal{"NoRoomForABlock",
                [](Hello& h) { h.set_kv_cache_bytes(1'599); }, kNever,
                "the worker's kv_cache_bytes is 1599, one block takes 1600"},
        Refusal{"EmptyWord", [](Hello& h) { h.set_kv_dtype(""); }, kNever,
                "the worker's kv_dtype has 0 bytes; it has 1 to 64"},
        Refusal{"EndlessWord",
                [](Hello& h) { h.set_compute(std::string(1'000'000, 'x')); },
                kNever,
                "the worker's compute has 1000000 bytes; it has 1 to 64"},
        Refusal{"WordThatCommandsATerminal",
                [](Hello& h) { h.set_instruction_set("avx\u009b2J"); }, kNever,
                "the worker's instruction_set has a control character at byte "
                "3; it has none"}),
    [](const auto& info) { return info.param.name; });

TEST(AgreeOnShapeTest, SmallestRankDecidesTheNumberOfBlocks) {
  Hello small = HelloOf(1);
  small.set_kv_cache_bytes(4'900);  // Three blocks and a bit.
  const GroupShape shape = AgreeOnShape({HelloOf(0), small}, Terms(), Epoch(5));
  EXPECT_EQ(shape.num_blocks, 3u);
  EXPECT_EQ(shape.epoch, Epoch(5));
  EXPECT_EQ(shape.num_ranks, 2u);
  EXPECT_EQ(shape.block_size, 16u);
  EXPECT_EQ(shape.bytes_per_block, 3'200u);
  EXPECT_EQ(shape.max_step_rows, 512u);
}

TEST(AgreeOnShapeTest, TermsLimitTheNumberOfBlocks) {
  HandshakeTerms terms = Terms();
  terms.max_num_blocks = 2;
  EXPECT_EQ(AgreeOnShape({HelloOf(0), HelloOf(1)}, terms, Epoch(1)).num_blocks,
            2u);
  terms.max_num_blocks = 1'000;
  EXPECT_EQ(AgreeOnShape({HelloOf(0), HelloOf(1)}, terms, Epoch(1)).num_blocks,
            10u);
}

TEST(AgreeOnShapeTest, EndlessMemoryGivesABlockCountThatFitsItsType) {
  HandshakeTerms terms = Terms();
  terms.world_size = 1;
  Hello hello = HelloOf(0);
  hello.set_bytes_per_slot(1);
  hello.set_kv_cache_bytes(UINT64_MAX);
  hello.set_host_kv_bytes(UINT64_MAX);
  const GroupShape shape = AgreeOnShape({hello}, terms, Epoch(1));
  EXPECT_EQ(shape.num_blocks, UINT32_MAX);
  EXPECT_EQ(shape.num_host_blocks, UINT32_MAX);
}

TEST(AgreeOnShapeTest, SmallestRankDecidesTheNumberOfHostBlocks) {
  Hello large = HelloOf(0);
  large.set_host_kv_bytes(1'000'000);
  Hello small = HelloOf(1);
  small.set_host_kv_bytes(11'199);  // Seven blocks but for a byte.
  HandshakeTerms terms = Terms();
  terms.max_num_blocks = 2;  // Of the cache alone.
  const GroupShape shape = AgreeOnShape({large, small}, terms, Epoch(1));
  EXPECT_EQ(shape.num_host_blocks, 6u);
  EXPECT_EQ(shape.num_blocks, 2u);
}

TEST(AgreeOnShapeTest, RankWithoutHostMemoryLeavesNoHostBlocks) {
  Hello large = HelloOf(0);
  large.set_host_kv_bytes(1'000'000);
  EXPECT_EQ(
      AgreeOnShape({large, HelloOf(1)}, Terms(), Epoch(1)).num_host_blocks, 0u);
}

TEST(AgreeOnShapeTest, RankWithLeastRowsLimitsTheStep) {
  Hello hello = HelloOf(1);
  hello.set_max_step_rows(64);
  EXPECT_EQ(AgreeOnShape({HelloOf(0), hello}, Terms(), Epoch(1)).max_step_rows,
            64u);
  hello.set_max_step_rows(4'096);
  EXPECT_EQ(AgreeOnShape({HelloOf(0), hello}, Terms(), Epoch(1)).max_step_rows,
            512u);
}

TEST(AgreeOnShapeTest, RowsAreAsCheapAsOnTheRankWithFewest) {
  Hello most = HelloOf(0);
  most.set_cheap_rows(16);
  Hello least = HelloOf(1);
  least.set_cheap_rows(4);
  EXPECT_EQ(AgreeOnShape({most, least}, Terms(), Epoch(1)).cheap_rows, 4u);
  EXPECT_EQ(AgreeOnShape({most, HelloOf(1)}, Terms(), Epoch(1)).cheap_rows, 0u);
}

TEST(MakeWelcomeTest, RepeatsTheShape) {
  const worker::v1::Welcome welcome = MakeWelcome({.epoch = Epoch(3),
                                                   .num_ranks = 2,
                                                   .num_blocks = 100,
                                                   .block_size = 16,
                                                   .bytes_per_block = 3'200,
                                                   .max_step_rows = 512,
                                                   .num_host_blocks = 30});
  EXPECT_EQ(welcome.epoch(), 3u);
  EXPECT_EQ(welcome.num_blocks(), 100u);
  EXPECT_EQ(welcome.block_size(), 16u);
  EXPECT_EQ(welcome.max_step_rows(), 512u);
  EXPECT_EQ(welcome.num_host_blocks(), 30u);
}

}  // namespace
}  // namespace quire
