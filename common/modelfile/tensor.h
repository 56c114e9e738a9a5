#ifndef QUIRE_COMMON_MODELFILE_TENSOR_H_
#define QUIRE_COMMON_MODELFILE_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quire {

// How a tensor's elements are stored. The names are GGML's; kBF16, kF16 and
// kF32 are also safetensors'.
enum class TensorType {
  kF32,
  kF16,
  kBF16,
  kQ4_0,
  kQ4_1,
  kQ5_0,
  kQ5_1,
  kQ8_0,
  kQ2_K,
  kQ3_K,
  kQ4_K,
  kQ5_K,
  kQ6_K
};

// A type is stored in groups of `elements` consecutive elements of a row,
// `bytes` each.
struct TensorTypeInfo {
  std::string_view name;  // "F32", "Q4_1", ...
  int64_t elements;
  int64_t bytes;
};
const TensorTypeInfo& GetTensorTypeInfo(TensorType type);

// A tensor within a mapped file. Does not own `data`, which lives as long as
// the file's object.
struct TensorView {
  std::string name;
  TensorType type = TensorType::kF32;
  std::vector<int64_t> shape;  // Outermost first: a matrix is [num_outputs,
                               // num_inputs], inputs contiguous.
  std::span<const std::byte> data;

  int64_t num_elements() const;
};

}  // namespace quire

#endif  // QUIRE_COMMON_MODELFILE_TENSOR_H_
