#ifndef QUIRE_TESTS_KERNELS_TENSOR_TYPE_NAMES_H_
#define QUIRE_TESTS_KERNELS_TENSOR_TYPE_NAMES_H_

#include <optional>
#include <string_view>

#include "common/modelfile/tensor.h"

namespace quire {

inline constexpr TensorType kAllTensorTypes[] = {
    TensorType::kF32,  TensorType::kF16,  TensorType::kBF16, TensorType::kQ4_0,
    TensorType::kQ4_1, TensorType::kQ5_0, TensorType::kQ5_1, TensorType::kQ8_0,
    TensorType::kQ2_K, TensorType::kQ3_K, TensorType::kQ4_K, TensorType::kQ5_K,
    TensorType::kQ6_K};

inline std::optional<TensorType> TensorTypeByName(std::string_view name) {
  for (TensorType type : kAllTensorTypes) {
    if (GetTensorTypeInfo(type).name == name) return type;
  }
  return std::nullopt;
}

}  // namespace quire

#endif  // QUIRE_TESTS_KERNELS_TENSOR_TYPE_NAMES_H_
