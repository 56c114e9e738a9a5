#ifndef QUIRE_WORKER_COMM_RENDEZVOUS_H_
#define QUIRE_WORKER_COMM_RENDEZVOUS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/ids.h"
#include "worker/comm/rank_socket.h"

namespace quire {

// Where the ranks of a group meet at the beginning of each epoch: rank 0
// listens for as long as it lives, the others dial and say who they are.
class Rendezvous {
 public:
  // For processes of this machine and user.
  static absl::StatusOr<std::unique_ptr<Rendezvous>> ListenHere();
  // For all that reach `host`, a name or address of this machine.
  static absl::StatusOr<std::unique_ptr<Rendezvous>> ListenOn(
      const std::string& host);

  // For MeetAt: "unix:@NAME" or "tcp:HOST:PORT".
  const std::string& address() const { return address_; }

  // The sockets of ranks 1 .. num_ranks - 1, by rank; 0 is empty. Who comes for
  // an earlier epoch is sent away. UNAVAILABLE: somebody came for a later one;
  // DEADLINE_EXCEEDED names who is missing.
  absl::StatusOr<std::vector<RankSocket>> Meet(Epoch epoch, int num_ranks,
                                               SteadyTime deadline);

 private:
  Rendezvous(FileDescriptor listener, std::string address)
      : listener_(std::move(listener)), address_(std::move(address)) {}

  const FileDescriptor listener_;
  const std::string address_;
};

// Dials rank 0. The socket may turn out to be closed, where rank 0 does not
// want it. UNAVAILABLE: nobody listens; INVALID_ARGUMENT: no such address.
absl::StatusOr<RankSocket> MeetAt(const std::string& address, Epoch epoch,
                                  Rank rank, SteadyTime deadline);

}  // namespace quire

#endif  // QUIRE_WORKER_COMM_RENDEZVOUS_H_
