#ifndef QUIRE_COMMON_MODELFILE_TENSOR_CHECK_H_
#define QUIRE_COMMON_MODELFILE_TENSOR_CHECK_H_

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/modelfile/model_config.h"
#include "common/modelfile/tensor.h"

namespace quire {

// Tensors by GGUF's names.
using TensorMap = std::map<std::string, TensorView, std::less<>>;

// Proves that `tensors` are what `config` calls for, all of it and nothing
// else. INVALID_ARGUMENT: one is missing, or of another shape, or a vector is
// block-quantized. UNIMPLEMENTED: there is one that the model does not use, so
// that leaving it out would change the results (another bias, say), or matrices
// are fused into one.
absl::Status CheckTensors(const ModelConfig& config, const TensorMap& tensors);

// The error for a tensor that the model does not use.
absl::Status UnexpectedTensor(std::string_view name);

}  // namespace quire

#endif  // QUIRE_COMMON_MODELFILE_TENSOR_CHECK_H_
