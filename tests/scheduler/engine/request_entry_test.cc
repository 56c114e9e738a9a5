#include "scheduler/engine/request_entry.h"

#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "scheduler/engine/group.h"
#include "scheduler/engine/group_link.h"
#include "scheduler/engine/pending_swaps.h"
#include "scheduler/engine/prefix_sharing.h"
#include "scheduler/engine/request_state.h"
#include "scheduler/engine/swapping.h"

namespace quire {
namespace {

constexpr uint32_t kBlockSize = 4;

class NoLink final : public GroupLink {
 public:
  void Dispatch(worker::v1::StepPlan&) override {}
  void Abandon(const std::string&) override {}
};

// Prompts of ten tokens with six to come: three blocks hold the prompt and the
// first new token, four all that is ever written.
class RequestEntryTest : public testing::Test {
 protected:
  std::unique_ptr<RequestState> Make(uint32_t num_sequences = 1) {
    GenerationRequest request;
    request.id = RequestId(++num_requests_);
    request.prompt.resize(10);
    std::iota(request.prompt.begin(), request.prompt.end(), 0);
    request.max_tokens = 6;
    request.num_sequences = request.num_returned = num_sequences;
    return std::make_unique<RequestState>(
        std::move(request), PlaceInOrder{.arrival = num_requests_},
        [this] { return SequenceId(++num_sequences_); }, absl::UnixEpoch());
  }
  RequestEntry EntryOf(RequestState& request,
                       AdmissionMode mode = AdmissionMode::kFullPrompt,
                       uint32_t step_rows = 100) {
    return RequestEntry(&request, {.admission = mode, .step_rows = step_rows},
                        &group_);
  }
  // What it asks the pool for is what it then takes.
  void ExpectToTake(uint32_t num_blocks, RequestState& request,
                    RequestEntry entry) {
    EXPECT_EQ(entry.Describe().num_blocks, num_blocks);
    const uint32_t before = group_.pool().num_available();
    entry.Enter(swaps_);
    EXPECT_EQ(before - group_.pool().num_available(), num_blocks);
    EXPECT_FALSE(request.leader().parked());
  }
  // Its prompt is written, and can be found.
  void ComputePrompt(RequestState& request) {
    Sequence& leader = request.leader();
    leader.CommitRows(leader.PlanRows(leader.PlannableRows()));
    PublishPrefix(request, leader, group_);
  }
  static void Leave(RequestState& request) {
    for (const auto& sequence : request.sequences()) sequence->Leave();
  }

  Group group_{{.epoch = Epoch(1),
                .num_blocks = 20,
                .block_size = kBlockSize,
                .max_step_rows = 100,
                .num_host_blocks = 20},
               std::make_shared<NoLink>(),
               /*shuffle_free_blocks_seed=*/0};
  PendingSwaps swaps_;  // Holds blocks of the group.
  uint64_t num_requests_ = 0;
  uint64_t num_sequences_ = 0;
};

TEST_F(RequestEntryTest, TheModeSaysHowMuchIsTaken) {
  const auto a = Make();
  const auto b = Make();
  const auto c = Make();
  ExpectToTake(1, *a, EntryOf(*a, AdmissionMode::kFirstChunk, 3));
  ExpectToTake(3, *b, EntryOf(*b, AdmissionMode::kFullPrompt, 3));
  ExpectToTake(4, *c, EntryOf(*c, AdmissionMode::kWorstCase, 3));
}

TEST_F(RequestEntryTest, WhatOthersHoldCostsNothing) {
  const auto writer = Make();
  const auto reader = Make();
  EntryOf(*writer).Enter(swaps_);
  ComputePrompt(*writer);
  RequestEntry entry = EntryOf(*reader);
  EXPECT_EQ(entry.num_found(), 8u);
  ExpectToTake(1, *reader, entry);
  EXPECT_EQ(reader->leader().committed(), 8u);
}

TEST_F(RequestEntryTest, WhatIsOnlyCachedIsTakenLikeAFreeBlock) {
  const auto writer = Make();
  const auto reader = Make();
  EntryOf(*writer).Enter(swaps_);
  ComputePrompt(*writer);
  Leave(*writer);
  RequestEntry entry = EntryOf(*reader);
  EXPECT_EQ(entry.num_found(), 8u);
  ExpectToTake(3, *reader, entry);
}

TEST_F(RequestEntryTest, ForksTakeOnlyWhatTheyWriteThemselves) {
  const auto request = Make(/*num_sequences=*/3);
  ExpectToTake(3 + 2 * 1, *request, EntryOf(*request));
  EXPECT_FALSE(request->leader().awaiting());
  EXPECT_TRUE(request->sequences()[1]->awaiting());
  EXPECT_TRUE(request->sequences()[2]->awaiting());
}

TEST_F(RequestEntryTest, ForksInTheWorstCaseShareThePromptsFullBlocks) {
  const auto request = Make(/*num_sequences=*/3);
  ExpectToTake(2 + 3 * 2, *request,
               EntryOf(*request, AdmissionMode::kWorstCase));
}

TEST_F(RequestEntryTest, OneThatWasPreemptedReturnsWithAllThatIsKnown) {
  const auto request = Make();
  request->OnPreempted();
  RequestEntry entry = EntryOf(*request, AdmissionMode::kFirstChunk, 3);
  EXPECT_TRUE(entry.Describe().was_preempted);
  ExpectToTake(3, *request, entry);
}

TEST_F(RequestEntryTest, WhatIsSwappedComesBack) {
  const auto request = Make();
  EntryOf(*request).Enter(swaps_);
  ComputePrompt(*request);
  SwapOut(*request, group_, swaps_);
  Leave(*request);
  request->OnPreempted();
  group_.prefixes().Clear();
  ExpectToTake(3, *request, EntryOf(*request));
  EXPECT_EQ(request->leader().committed(), 9u);
  EXPECT_FALSE(request->swapped());
  EXPECT_EQ(swaps_.num_in(), 3u);
}

}  // namespace
}  // namespace quire
