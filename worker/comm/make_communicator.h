#ifndef QUIRE_WORKER_COMM_MAKE_COMMUNICATOR_H_
#define QUIRE_WORKER_COMM_MAKE_COMMUNICATOR_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/ids.h"
#include "worker/comm/communicator.h"

namespace quire {

// How the ranks of a group exchange what they compute: through shared memory,
// where all are processes of one machine, or over TCP.
enum class CommunicatorKind { kSharedMemory, kGloo };

// "shm", "gloo": as the flag and Hello write them.
const char* CommunicatorName(CommunicatorKind kind);

struct CommunicatorOptions {
  CommunicatorKind kind = CommunicatorKind::kSharedMemory;
  Rank rank;
  int num_ranks = 1;
  // For the others to come when an epoch begins. All are told of it at once.
  absl::Duration form_deadline = absl::Seconds(5);
  // For the others to come, in a collective.
  absl::Duration deadline = absl::Seconds(20);
  // kSharedMemory: whether every rank has processors of its own.
  bool spins = true;
  // kGloo: a name or address of this machine at which the others reach it.
  std::string host = "127.0.0.1";
};

// One for the whole life of a rank. Errors: no sockets or memory are to be had,
// or `host` is not this machine's.
absl::StatusOr<std::unique_ptr<Communicator>> MakeCommunicator(
    const CommunicatorOptions& options);

}  // namespace quire

#endif  // QUIRE_WORKER_COMM_MAKE_COMMUNICATOR_H_
