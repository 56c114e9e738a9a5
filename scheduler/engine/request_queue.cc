#include "scheduler/engine/request_queue.h"

#include "absl/strings/str_cat.h"
#include "common/check.h"

namespace quire {

absl::Status RequestQueue::CheckRoom(uint64_t prompt_tokens) const {
  if (requests_.size() >= max_requests_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the queue is full: ", requests_.size(),
                     " requests wait, the limit is ", max_requests_));
  }
  if (!empty() && num_tokens_ + prompt_tokens > max_tokens_) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "the queue is full: ", num_tokens_, " prompt tokens wait, with ",
        prompt_tokens, " more the limit of ", max_tokens_, " is passed"));
  }
  return absl::OkStatus();
}

void RequestQueue::Insert(RequestState* request) {
  QUIRE_CHECK(requests_.insert(request).second);
  num_tokens_ += request->prompt_length();
}

void RequestQueue::Remove(RequestState* request) {
  QUIRE_CHECK(requests_.erase(request) == 1);
  num_tokens_ -= request->prompt_length();
}

uint64_t RequestQueue::OwnRowsBefore(const PlaceInOrder& place) const {
  uint64_t num_rows = 0;
  for (const RequestState* request : requests_) {
    if (!ServedBefore(request->place(), place)) break;
    num_rows += request->num_own_rows();
  }
  return num_rows;
}

}  // namespace quire
