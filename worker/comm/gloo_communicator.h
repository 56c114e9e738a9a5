#ifndef QUIRE_WORKER_COMM_GLOO_COMMUNICATOR_H_
#define QUIRE_WORKER_COMM_GLOO_COMMUNICATOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "worker/comm/communicator.h"
#include "worker/comm/rank_socket.h"
#include "worker/comm/rendezvous.h"

namespace gloo {
class Context;
namespace transport {
class Device;
}
}  // namespace gloo

namespace quire {

struct GlooOptions {
  Rank rank;
  int num_ranks = 2;
  // A name or address of this machine at which the others reach it.
  std::string host = "127.0.0.1";
  absl::Duration form_deadline = absl::Seconds(5);
  absl::Duration collective_deadline = absl::Seconds(20);
};

// Ranks of several machines, connected each to each over TCP by Gloo. A sum is
// taken by every rank from the values of all: two machines send as little so as
// by any other way, and many rarely share a model over TCP.
class GlooCommunicator final : public Communicator {
 public:
  // From then on the process ignores SIGPIPE.
  static absl::StatusOr<std::unique_ptr<GlooCommunicator>> Make(
      const GlooOptions& options);
  ~GlooCommunicator() override;

  Rank rank() const override { return options_.rank; }
  int num_ranks() const override { return options_.num_ranks; }
  std::string rendezvous() const override;

 private:
  // Its errors are exceptions, which end here.
  template <typename Function>
  absl::Status Try(const Function& function) const;

  explicit GlooCommunicator(const GlooOptions& options) : options_(options) {}

  absl::Status DoForm(Epoch epoch, const std::string& rendezvous) override;
  void DoLeave() override;
  absl::Status DoAllReduceSum(std::span<float> values) override;
  absl::Status DoBroadcast(std::span<std::byte> bytes) override;
  absl::Status DoGatherColumns(const ColumnShares& shares,
                               float* matrix) override;

  // By rank, as Rendezvous::Meet; ranks other than 0 have rank 0's alone.
  absl::StatusOr<std::vector<RankSocket>> MeetOthers(
      Epoch epoch, const std::string& rendezvous, SteadyTime deadline);

  const GlooOptions options_;
  std::unique_ptr<Rendezvous> rendezvous_;  // Of rank 0.
  std::shared_ptr<gloo::transport::Device> device_;
  std::shared_ptr<gloo::Context> context_;
  uint64_t num_collectives_ = 0;  // Of the epoch.
  std::vector<float> received_;   // By rank.
};

}  // namespace quire

#endif  // QUIRE_WORKER_COMM_GLOO_COMMUNICATOR_H_
