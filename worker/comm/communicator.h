#ifndef QUIRE_WORKER_COMM_COMMUNICATOR_H_
#define QUIRE_WORKER_COMM_COMMUNICATOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "common/ids.h"

namespace quire {

// What a collective is for.
enum class CollectiveUse { kLayer, kEmbedding, kLogits, kTokens, kAgreement };
inline constexpr int kNumCollectiveUses = 5;

// A matrix whose columns are divided among the ranks, in their order.
struct ColumnShares {
  int64_t num_rows = 0;
  std::span<const int64_t> num_columns;  // By rank.
  int64_t stride = 0;                    // Of rank 0's rows, which hold all.
};

// Puts `part` of the columns of a rank, which lie row by row and of which it is
// what begins at the element `first`, into the whole matrix.
void PutColumns(const ColumnShares& shares, int rank,
                std::span<const float> part, int64_t first, float* matrix);

// How the ranks of a group exchange what they computed within a step. Every
// rank makes the same calls in the same order; the plan alone decides which.
// Sums run from rank 0 upwards, so that all ranks have the same bits in every
// run. One thread calls it. States:
//
//   apart --Form--> formed --a collective fails--> broken
//     any --Leave--> apart
//
// A collective fails at its deadline, or as soon as another rank has left or
// died: DEADLINE_EXCEEDED, UNAVAILABLE. Whatever else was to be exchanged in
// the epoch fails too, on all ranks, so that they meet again under another.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual Rank rank() const = 0;
  virtual int num_ranks() const = 0;
  // Of rank 0: where the others find it, in every epoch. They are told by the
  // scheduler.
  virtual std::string rendezvous() const { return ""; }

  // Meets the other ranks of the epoch at rank 0's rendezvous. Errors: rank 0
  // is not there, not all ranks come before the deadline, or another epoch has
  // begun.
  absl::Status Form(Epoch epoch, const std::string& rendezvous);
  // Lets go of the others; what they wait for fails.
  void Leave();

  // values = the sum of all ranks' values.
  absl::Status AllReduceSum(CollectiveUse use, std::span<float> values);
  // Gives every rank the bytes of rank 0, as many on all.
  absl::Status Broadcast(CollectiveUse use, std::span<std::byte> bytes);
  // Puts the matrix together on rank 0, where it is [num_rows, stride], begins
  // with the columns of all, and rank 0's own are in their place already. On
  // the other ranks it is [num_rows, own columns].
  absl::Status GatherColumns(CollectiveUse use, const ColumnShares& shares,
                             float* matrix);

  // Collectives that were begun, since the beginning.
  int64_t count(CollectiveUse use) const {
    return counts_[static_cast<int>(use)];
  }

 private:
  virtual absl::Status DoForm(Epoch epoch, const std::string& rendezvous) = 0;
  virtual void DoLeave() = 0;
  virtual absl::Status DoAllReduceSum(std::span<float> values) = 0;
  virtual absl::Status DoBroadcast(std::span<std::byte> bytes) = 0;
  virtual absl::Status DoGatherColumns(const ColumnShares& shares,
                                       float* matrix) = 0;

  // Counts it, and does it unless the group is not formed.
  template <typename Collective>
  absl::Status Begin(CollectiveUse use, const Collective& collective);

  absl::Status state_ = absl::FailedPreconditionError("the ranks have not met");
  std::array<int64_t, kNumCollectiveUses> counts_ = {};
};

// The only rank of its group: there is no one to tell.
class SingleRankCommunicator final : public Communicator {
 public:
  Rank rank() const override { return Rank(0); }
  int num_ranks() const override { return 1; }

 private:
  absl::Status DoForm(Epoch, const std::string&) override {
    return absl::OkStatus();
  }
  void DoLeave() override {}
  absl::Status DoAllReduceSum(std::span<float>) override {
    return absl::OkStatus();
  }
  absl::Status DoBroadcast(std::span<std::byte>) override {
    return absl::OkStatus();
  }
  absl::Status DoGatherColumns(const ColumnShares&, float*) override {
    return absl::OkStatus();
  }
};

}  // namespace quire

#endif  // QUIRE_WORKER_COMM_COMMUNICATOR_H_
