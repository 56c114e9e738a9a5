#include "scheduler/engine/request_queue.h"

#include <deque>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

class RequestQueueTest : public testing::Test {
 protected:
  // The request that arrived n-th.
  RequestState* Make(uint64_t arrival, uint32_t prompt_length) {
    GenerationRequest request;
    request.id = RequestId(arrival);
    request.prompt.assign(prompt_length, 1);
    request.max_tokens = 1;
    return &requests_.emplace_back(
        std::move(request), PlaceInOrder{.arrival = arrival},
        [=] { return SequenceId(arrival); }, absl::UnixEpoch());
  }

  std::deque<RequestState> requests_;
  RequestQueue queue_{/*max_requests=*/3, /*max_tokens=*/100};
};

TEST_F(RequestQueueTest, ServesInTheOrderOfArrival) {
  RequestState* const first = Make(1, 10);
  RequestState* const second = Make(2, 10);
  queue_.Insert(first);
  queue_.Insert(second);
  EXPECT_EQ(*queue_.begin(), first);
  queue_.Remove(first);
  EXPECT_EQ(*queue_.begin(), second);
}

TEST_F(RequestQueueTest, OneThatComesBackFindsItsPlace) {
  RequestState* const second = Make(2, 10);
  RequestState* const third = Make(3, 10);
  queue_.Insert(third);
  queue_.Insert(second);
  EXPECT_THAT(std::vector<RequestState*>(queue_.begin(), queue_.end()),
              testing::ElementsAre(second, third));
}

TEST_F(RequestQueueTest, CountsPromptTokens) {
  RequestState* const request = Make(1, 30);
  queue_.Insert(request);
  EXPECT_EQ(queue_.num_tokens(), 30u);
  queue_.Remove(request);
  EXPECT_EQ(queue_.num_tokens(), 0u);
  EXPECT_TRUE(queue_.empty());
}

TEST_F(RequestQueueTest, IsBoundedByRequests) {
  for (int i = 1; i <= 3; ++i) {
    EXPECT_TRUE(queue_.CheckRoom(1).ok());
    queue_.Insert(Make(i, 1));
  }
  const absl::Status status = queue_.CheckRoom(1);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("limit is 3"));
}

TEST_F(RequestQueueTest, IsBoundedByTokens) {
  queue_.Insert(Make(1, 60));
  EXPECT_TRUE(queue_.CheckRoom(40).ok());
  const absl::Status status = queue_.CheckRoom(41);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("limit of 100"));
}

TEST_F(RequestQueueTest, AnEmptyQueueTakesAnyPrompt) {
  EXPECT_TRUE(queue_.CheckRoom(1000).ok());
}

TEST_F(RequestQueueTest, OneThatComesBackIsNeverTurnedAway) {
  for (int i = 1; i <= 5; ++i) queue_.Insert(Make(i, 90));
  EXPECT_EQ(queue_.num_requests(), 5u);
}

}  // namespace
}  // namespace quire
