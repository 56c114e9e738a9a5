#include "worker/model/model.h"

#include "common/status_macros.h"
#include "worker/model/decoder.h"

namespace quire {

absl::StatusOr<std::unique_ptr<Model>> Model::Load(const ModelFiles& files,
                                                   const ModelOptions& options,
                                                   ThreadPool* pool) {
  QUIRE_ASSIGN_OR_RETURN(std::unique_ptr<Decoder> decoder,
                         Decoder::Load(files, options, pool));
  return decoder;
}

}  // namespace quire
