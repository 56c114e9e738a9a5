#include "worker/model/load_model.h"

#include "worker/model/decoder.h"

namespace quire {

absl::StatusOr<std::unique_ptr<Model>> LoadModel(const ModelFiles& files,
                                                 const ModelOptions& options,
                                                 ThreadPool* pool,
                                                 Communicator* communicator) {
  return Decoder::Load(files, options, pool, communicator);
}

}  // namespace quire
