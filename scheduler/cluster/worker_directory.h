#ifndef QUIRE_SCHEDULER_CLUSTER_WORKER_DIRECTORY_H_
#define QUIRE_SCHEDULER_CLUSTER_WORKER_DIRECTORY_H_

#include <cstdint>
#include <string>
#include <vector>

#include "common/ids.h"

namespace quire {

// A rank as the operator sees it.
struct WorkerInfo {
  Rank rank;
  bool up = false;  // Attached and part of a ready group.
  std::string instruction_set;
  std::string compute;
  std::string kv_dtype;
  std::string peer;  // Address as gRPC names it.
};

// Who is attached. Thread-safe.
class WorkerDirectory {
 public:
  virtual ~WorkerDirectory() = default;
  // Every rank that has ever attached, ascending.
  virtual std::vector<WorkerInfo> Workers() const = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_CLUSTER_WORKER_DIRECTORY_H_
