#ifndef QUIRE_SCHEDULER_FRONTEND_STATUS_RESPONSE_H_
#define QUIRE_SCHEDULER_FRONTEND_STATUS_RESPONSE_H_

#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "quire/v1/quire.pb.h"
#include "scheduler/cluster/worker_directory.h"
#include "scheduler/engine/engine_snapshot.h"

namespace quire {

// Requests in one StatusResponse at most; the snapshot's first ones.
inline constexpr size_t kMaxReportedRequests = 256;

// `readiness`: OK, or why the server takes no work.
v1::StatusResponse ToStatusResponse(const absl::Status& readiness,
                                    const EngineSnapshot& snapshot,
                                    const std::vector<WorkerInfo>& workers,
                                    absl::Duration uptime);

// The status, and each of the snapshot's block states in one byte.
v1::WatchBlocksResponse ToWatchBlocksResponse(
    const absl::Status& readiness, const EngineSnapshot& snapshot,
    const std::vector<WorkerInfo>& workers, absl::Duration uptime);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_STATUS_RESPONSE_H_
