#ifndef QUIRE_WORKER_RUN_WORKER_H_
#define QUIRE_WORKER_RUN_WORKER_H_

#include "absl/status/status.h"
#include "worker/termination_signal.h"
#include "worker/worker_options.h"

namespace quire {

// A worker's life: opens and loads the model, sizes the KV cache, attaches to
// the scheduler and serves until the signal comes, which is ok. Errors come
// from before it attaches: options, model files, memory.
absl::Status RunWorker(const WorkerOptions& options, TerminationSignal* signal);

}  // namespace quire

#endif  // QUIRE_WORKER_RUN_WORKER_H_
