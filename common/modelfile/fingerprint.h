#ifndef QUIRE_COMMON_MODELFILE_FINGERPRINT_H_
#define QUIRE_COMMON_MODELFILE_FINGERPRINT_H_

#include <string>

#include "common/modelfile/model_config.h"
#include "common/modelfile/tensor_check.h"

namespace quire {

// 16 hexadecimal digits that tell two models apart by mistake, not by malice:
// 64-bit FNV-1a over the configuration and over name, type, shape and a few
// runs of bytes of each tensor, so that opening a model does not read all of
// it. The same on every machine.
std::string ModelFingerprint(const ModelConfig& config,
                             const TensorMap& tensors);

}  // namespace quire

#endif  // QUIRE_COMMON_MODELFILE_FINGERPRINT_H_
