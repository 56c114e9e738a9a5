#ifndef QUIRE_WORKER_COMM_SHARED_EXCHANGE_H_
#define QUIRE_WORKER_COMM_SHARED_EXCHANGE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "worker/comm/communicator.h"

namespace quire {

struct SharedExchangeOptions {
  int rank = 0;
  int num_ranks = 1;
  // For the others to come, at each meeting.
  absl::Duration deadline = absl::Seconds(20);
  // Whether to spin before sleeping: not where ranks outnumber processors,
  // whose turn another rank needs.
  bool spins = true;
  // Ok as long as nobody that can be seen from here has died. Asked every few
  // milliseconds of waiting.
  std::function<absl::Status()> check_alive = [] { return absl::OkStatus(); };
};

// The collectives of ranks that share memory, each with a mapping of its own or
// all with the same one. Every rank has two places for its data and takes them
// in turns:
//
//   write own place  ->  meet  ->  read the places of all
//
// A rank that writes to a place again has met the others once more in between,
// so all have read it. Ranks meet at a counter: the last to arrive lets the
// others go, which spin briefly and then sleep. Contracts are Communicator's.
// One thread calls it.
class SharedExchange {
 public:
  // Memory for so many ranks; a page's alignment and zeros to begin with.
  static int64_t BytesFor(int num_ranks);

  // `memory` must outlive the object.
  SharedExchange(std::byte* memory, const SharedExchangeOptions& options);

  absl::Status AllReduceSum(std::span<float> values);
  absl::Status Broadcast(std::span<std::byte> bytes);
  absl::Status GatherColumns(const ColumnShares& shares, float* matrix);

  // Whoever waits for this rank, now or later, fails.
  void Abort();

 private:
  struct Header;

  // Waits until all ranks are here. What they wrote before can be read.
  absl::Status Meet();
  absl::Status Wait(uint32_t generation);
  absl::Status CheckOthers() const;
  // Sums of [begin, end) of what the ranks wrote, to `sums`.
  void Sum(int64_t begin, int64_t end, float* sums) const;
  absl::Status ReducePiece(std::span<float> piece);
  void TakeTurns() { turn_ = 1 - turn_; }
  float* Place(int rank) const;

  Header* const header_;
  std::byte* const places_;
  const SharedExchangeOptions options_;
  uint32_t generation_ = 0;  // Meetings so far.
  int turn_ = 0;
};

}  // namespace quire

#endif  // QUIRE_WORKER_COMM_SHARED_EXCHANGE_H_
