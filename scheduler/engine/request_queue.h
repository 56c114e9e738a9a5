#ifndef QUIRE_SCHEDULER_ENGINE_REQUEST_QUEUE_H_
#define QUIRE_SCHEDULER_ENGINE_REQUEST_QUEUE_H_

#include <cstdint>
#include <set>

#include "absl/status/status.h"
#include "scheduler/engine/request_state.h"

namespace quire {

// The requests that wait, in the order of service. Bounded for those that come
// new; one that has run before always finds its place again. Owns nothing;
// engine thread only.
class RequestQueue {
 public:
  RequestQueue(uint32_t max_requests, uint64_t max_tokens)
      : max_requests_(max_requests), max_tokens_(max_tokens) {}

  // Whether a new request with a prompt of `prompt_tokens` tokens may join.
  // RESOURCE_EXHAUSTED names the limit that it would pass. An empty queue takes
  // any prompt, else a long one could never be served.
  absl::Status CheckRoom(uint64_t prompt_tokens) const;

  // Takes its place in the order. REQUIRES: not in the queue.
  void Insert(RequestState* request);
  // REQUIRES: in the queue.
  void Remove(RequestState* request);

  bool empty() const { return requests_.empty(); }
  uint32_t num_requests() const {
    return static_cast<uint32_t>(requests_.size());
  }
  uint64_t num_tokens() const { return num_tokens_; }  // Of prompts.

  // Sum of num_own_rows() of those ahead of `place`. O(requests).
  uint64_t OwnRowsBefore(const PlaceInOrder& place) const;

  // In the order of service.
  auto begin() const { return requests_.begin(); }
  auto end() const { return requests_.end(); }

 private:
  struct ByPlace {
    bool operator()(const RequestState* a, const RequestState* b) const {
      return ServedBefore(a->place(), b->place());
    }
  };

  const uint32_t max_requests_;
  const uint64_t max_tokens_;
  std::set<RequestState*, ByPlace> requests_;
  uint64_t num_tokens_ = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_REQUEST_QUEUE_H_
