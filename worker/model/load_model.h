#ifndef QUIRE_WORKER_MODEL_LOAD_MODEL_H_
#define QUIRE_WORKER_MODEL_LOAD_MODEL_H_

#include <memory>

#include "absl/status/statusor.h"
#include "common/modelfile/model_files.h"
#include "worker/comm/communicator.h"
#include "worker/executor/thread_pool.h"
#include "worker/model/model.h"

namespace quire {

// Chooses the implementation of Model, and has it read and repack the weights
// of the communicator's rank; without one it is the only rank. INVALID_ARGUMENT
// where a tensor does not fit the configuration, the model cannot be divided
// among so many ranks, or this machine lacks the instruction set. `files` may
// be destroyed afterwards; `pool` and `communicator` must outlive the model.
absl::StatusOr<std::unique_ptr<Model>> LoadModel(
    const ModelFiles& files, const ModelOptions& options, ThreadPool* pool,
    Communicator* communicator = nullptr);

}  // namespace quire

#endif  // QUIRE_WORKER_MODEL_LOAD_MODEL_H_
