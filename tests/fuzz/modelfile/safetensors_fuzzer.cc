#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/check.h"
#include "common/modelfile/safetensors_file.h"
#include "common/modelfile/tensor_layout.h"
#include "tests/testing/memory_file.h"

// A safetensors file: what it promises of each tensor, and its outermost bytes.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const quire::testing::MemoryFile memory(
      std::string_view(reinterpret_cast<const char*>(data), size));
  const auto file = quire::SafetensorsFile::Open(memory.path());
  if (!file.ok()) return 0;
  for (const quire::TensorView& tensor : (*file)->tensors()) {
    QUIRE_CHECK(quire::TensorByteSize(tensor.type, tensor.shape).value() ==
                tensor.data.size());
    volatile std::byte sink = tensor.data.front();
    sink = tensor.data.back();
    (void)sink;
  }
  QUIRE_CHECK(quire::CheckNoOverlap((*file)->tensors()).ok());
  return 0;
}
