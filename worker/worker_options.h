#ifndef QUIRE_WORKER_WORKER_OPTIONS_H_
#define QUIRE_WORKER_WORKER_OPTIONS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "worker/comm/make_communicator.h"
#include "worker/model/model.h"

namespace quire {

// Everything an operator can say to a worker: one field for each flag.
struct WorkerOptions {
  // Where the scheduler listens for workers: HOST:PORT or unix:PATH.
  std::string scheduler = "127.0.0.1:8301";
  // A GGUF file or a Hugging Face folder. No default.
  std::string model;
  // This worker's place in its group, below world_size.
  int rank = 0;
  // Ranks of the group, which divide the model: 1 to 64.
  int world_size = 1;
  // How the ranks exchange what they compute. "shm": shared memory, all on one
  // machine. "gloo": TCP.
  std::string communicator = "shm";
  // gloo: a name or address of this machine at which other ranks reach it.
  std::string communicator_host = "127.0.0.1";
  // For other ranks to come within a step, before the epoch ends. Less than the
  // scheduler's step_timeout, which would end it too.
  absl::Duration collective_timeout = absl::Seconds(20);
  // Ranks compare in every step what they compute. For tests.
  bool check_agreement = false;
  // 0 = as many as affinity and control group allow, divided among ranks that
  // share memory. Fewer leave processors to others; more than there are make
  // every step slower.
  int threads = 0;
  // "auto": fast, low precision. "f32": exact weights, everything in float32.
  std::string compute = "auto";
  // "auto": f32 where compute is f32, else bf16. "f32" doubles the cache's
  // size.
  std::string kv_dtype = "auto";
  // A size such as "2GiB", or "auto": see worker/executor/memory_budget.h.
  std::string kv_cache_memory = "auto";
  // For host blocks, to which blocks are swapped out: as kv_cache_memory, or
  // "0": none, and what is preempted is computed again.
  std::string host_kv_memory = "auto";
  // "auto": the best this machine has. "scalar", "avx2", "avx512": for tests,
  // and for groups on unlike machines.
  std::string instruction_set = "auto";

  // INVALID_ARGUMENT names the flag, its value and what it may be.
  absl::Status Validate() const;
};

// How the model is to compute. Errors as for Validate, also FAILED_PRECONDITION
// where this machine lacks the instruction set.
absl::StatusOr<ModelOptions> ToModelOptions(const WorkerOptions& options);

// How ranks exchange what they compute, but for whether they spin. Errors as
// for Validate.
absl::StatusOr<CommunicatorOptions> ToCommunicatorOptions(
    const WorkerOptions& options);

// "f32", "bf16" and "f32", "auto": as the flags and Hello write them.
const char* KvDtypeName(KvDtype kv_dtype);
const char* ComputeName(Compute compute);

}  // namespace quire

#endif  // QUIRE_WORKER_WORKER_OPTIONS_H_
