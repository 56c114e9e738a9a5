// dequantize_tool TYPE: stored groups on standard input, float32 values on
// standard output. dequantize_reference.py compares them with GGML's.

#include <cstdio>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "kernels/dequantize.h"
#include "tests/kernels/tensor_type_names.h"

int main(int argc, char** argv) {
  const auto type = quire::TensorTypeByName(argc > 1 ? argv[1] : "");
  if (!type.has_value()) {
    std::fprintf(stderr, "usage: dequantize_tool TYPE, such as Q4_K\n");
    return 2;
  }
  const std::string stored{std::istreambuf_iterator<char>(std::cin), {}};
  const quire::TensorTypeInfo& info = quire::GetTensorTypeInfo(*type);
  std::vector<float> values(stored.size() / info.bytes * info.elements);
  quire::Dequantize(*type, reinterpret_cast<const std::byte*>(stored.data()),
                    values.size(), values.data());
  std::cout.write(reinterpret_cast<const char*>(values.data()),
                  values.size() * sizeof(float));
  return 0;
}
