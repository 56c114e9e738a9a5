#ifndef QUIRE_SCHEDULER_CLUSTER_HANDSHAKE_H_
#define QUIRE_SCHEDULER_CLUSTER_HANDSHAKE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/ids.h"
#include "quire/worker/v1/attach.pb.h"
#include "scheduler/engine/group_link.h"

namespace quire {

inline constexpr uint32_t kWorkerProtocolVersion = 1;

// What the scheduler asks of every rank of its group.
struct HandshakeTerms {
  std::string model_fingerprint;
  uint32_t world_size = 1;
  uint32_t block_size = 16;  // Slots.
  // More blocks than this are never used. 0 = as many as fit.
  uint32_t max_num_blocks = 0;
  uint32_t max_step_rows = 512;  // At least 1.
};

// Whether the worker that says `hello` may join the ranks that said `attached`.
// The message names what differs and both values. FAILED_PRECONDITION: it can
// never join as it is. ALREADY_EXISTS: its rank is taken for now.
absl::Status CheckHello(const worker::v1::Hello& hello,
                        const HandshakeTerms& terms,
                        const std::vector<worker::v1::Hello>& attached);

// The KV cache that each of `ranks` can hold: as many blocks, and as many host
// blocks, as the smallest rank has room for. There may be more host blocks than
// blocks: those of several preempted requests wait there. REQUIRES: all ranks
// of the group, each checked against those before it.
GroupShape AgreeOnShape(const std::vector<worker::v1::Hello>& ranks,
                        const HandshakeTerms& terms, Epoch epoch);

worker::v1::Welcome MakeWelcome(const GroupShape& shape);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_CLUSTER_HANDSHAKE_H_
