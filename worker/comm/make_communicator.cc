#include "worker/comm/make_communicator.h"

#include "worker/comm/gloo_communicator.h"
#include "worker/comm/shared_memory_communicator.h"

namespace quire {

const char* CommunicatorName(CommunicatorKind kind) {
  return kind == CommunicatorKind::kSharedMemory ? "shm" : "gloo";
}

// The place for NCCL, which is for ranks with a GPU each: its unique id would
// go from rank 0 to the others as its rendezvous does here.
absl::StatusOr<std::unique_ptr<Communicator>> MakeCommunicator(
    const CommunicatorOptions& options) {
  if (options.num_ranks == 1) return std::make_unique<SingleRankCommunicator>();
  if (options.kind == CommunicatorKind::kGloo) {
    return GlooCommunicator::Make({.rank = options.rank,
                                   .num_ranks = options.num_ranks,
                                   .host = options.host,
                                   .form_deadline = options.form_deadline,
                                   .collective_deadline = options.deadline});
  }
  return SharedMemoryCommunicator::Make(
      {.rank = options.rank,
       .num_ranks = options.num_ranks,
       .form_deadline = options.form_deadline,
       .collective_deadline = options.deadline,
       .spins = options.spins});
}

}  // namespace quire
