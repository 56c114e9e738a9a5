#ifndef QUIRE_WORKER_COMM_COMMUNICATOR_H_
#define QUIRE_WORKER_COMM_COMMUNICATOR_H_

#include <span>

#include "absl/status/status.h"
#include "common/ids.h"

namespace quire {

// How the ranks of a group agree within a step. Every rank makes the same calls
// in the same order; the plan alone decides which. One thread calls it.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual Rank rank() const = 0;

  // Gives every rank the tokens of rank 0. `tokens` has the same size on all.
  // Errors end the epoch.
  virtual absl::Status BroadcastTokens(std::span<Token> tokens) = 0;
};

// The only rank of its group: there is no one to tell.
class SingleRankCommunicator final : public Communicator {
 public:
  Rank rank() const override { return Rank(0); }
  absl::Status BroadcastTokens(std::span<Token>) override {
    return absl::OkStatus();
  }
};

}  // namespace quire

#endif  // QUIRE_WORKER_COMM_COMMUNICATOR_H_
