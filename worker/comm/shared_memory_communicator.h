#ifndef QUIRE_WORKER_COMM_SHARED_MEMORY_COMMUNICATOR_H_
#define QUIRE_WORKER_COMM_SHARED_MEMORY_COMMUNICATOR_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "worker/comm/communicator.h"
#include "worker/comm/rank_socket.h"
#include "worker/comm/rendezvous.h"
#include "worker/comm/shared_exchange.h"

namespace quire {

struct SharedMemoryOptions {
  Rank rank;
  int num_ranks = 2;
  absl::Duration form_deadline = absl::Seconds(5);
  absl::Duration collective_deadline = absl::Seconds(20);
  // Where ranks have a processor each.
  bool spins = true;
};

// Ranks of one machine, which exchange through memory that rank 0 makes anew
// for every epoch. It has no name: its descriptor goes over the sockets by
// which the ranks met, so nothing is left of it when they die. The sockets stay
// open for as long as the epoch lasts: one that closes tells of a rank that
// died. Rank 0 watches all others and they watch rank 0.
class SharedMemoryCommunicator final : public Communicator {
 public:
  static absl::StatusOr<std::unique_ptr<SharedMemoryCommunicator>> Make(
      const SharedMemoryOptions& options);
  ~SharedMemoryCommunicator() override;

  Rank rank() const override { return options_.rank; }
  int num_ranks() const override { return options_.num_ranks; }
  std::string rendezvous() const override;

 private:
  // Memory that is mapped by all ranks.
  class Mapping;

  explicit SharedMemoryCommunicator(const SharedMemoryOptions& options);

  absl::Status DoForm(Epoch epoch, const std::string& rendezvous) override;
  void DoLeave() override;
  absl::Status DoAllReduceSum(std::span<float> values) override {
    return exchange_->AllReduceSum(values);
  }
  absl::Status DoBroadcast(std::span<std::byte> bytes) override {
    return exchange_->Broadcast(bytes);
  }
  absl::Status DoGatherColumns(const ColumnShares& shares,
                               float* matrix) override {
    return exchange_->GatherColumns(shares, matrix);
  }

  absl::StatusOr<FileDescriptor> InviteOthers(Epoch epoch, SteadyTime deadline);
  absl::StatusOr<FileDescriptor> JoinOthers(Epoch epoch,
                                            const std::string& rendezvous,
                                            SteadyTime deadline);
  // UNAVAILABLE names who has died.
  absl::Status CheckAlive() const;

  const SharedMemoryOptions options_;
  std::unique_ptr<Rendezvous> rendezvous_;  // Of rank 0.
  // By rank; only those that this rank watches.
  std::vector<RankSocket> sockets_;
  std::unique_ptr<Mapping> mapping_;
  std::optional<SharedExchange> exchange_;
};

}  // namespace quire

#endif  // QUIRE_WORKER_COMM_SHARED_MEMORY_COMMUNICATOR_H_
