#ifndef QUIRE_CLIENT_BENCH_WORKLOAD_H_
#define QUIRE_CLIENT_BENCH_WORKLOAD_H_

#include <cstdint>
#include <istream>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/ids.h"

namespace quire {

// One request of a workload.
struct WorkloadItem {
  absl::Duration arrival;  // After the start of the run.
  std::vector<Token> prompt_ids;
  uint32_t max_tokens = 0;
};

// Reads JSON lines {"id", "arrival_s", "prompt_ids", "max_tokens"} and orders
// them by arrival. INVALID_ARGUMENT names the line, the field, its value and
// what it must be.
absl::StatusOr<std::vector<WorkloadItem>> ReadWorkload(std::istream& in);

}  // namespace quire

#endif  // QUIRE_CLIENT_BENCH_WORKLOAD_H_
