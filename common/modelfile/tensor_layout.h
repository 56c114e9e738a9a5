#ifndef QUIRE_COMMON_MODELFILE_TENSOR_LAYOUT_H_
#define QUIRE_COMMON_MODELFILE_TENSOR_LAYOUT_H_

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "common/modelfile/tensor.h"

namespace quire {

// What both containers check of a tensor before they trust it.

// Bytes of a tensor of this type and shape (outermost first; none: one
// element). INVALID_ARGUMENT: a dimension below 1, a row that is not a whole
// number of the type's groups, or a size beyond 2^62 bytes.
absl::StatusOr<uint64_t> TensorByteSize(TensorType type,
                                        std::span<const int64_t> shape);

// "[49152, 576]".
std::string ShapeText(std::span<const int64_t> shape);

// INVALID_ARGUMENT names two tensors that share bytes.
absl::Status CheckNoOverlap(std::span<const TensorView> tensors);

}  // namespace quire

#endif  // QUIRE_COMMON_MODELFILE_TENSOR_LAYOUT_H_
