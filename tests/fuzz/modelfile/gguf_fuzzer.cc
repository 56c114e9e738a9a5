#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/check.h"
#include "common/modelfile/gguf_file.h"
#include "common/modelfile/model_files.h"
#include "common/modelfile/tensor_layout.h"
#include "tests/testing/memory_file.h"

namespace quire {
namespace {

// Every way of asking, of a key that seeds have for each kind.
void AskForMetadata(const GgufFile& file) {
  for (const char* key :
       {"general.architecture", "general.alignment", "llama.rope.freq_base",
        "tokenizer.ggml.tokens", "tokenizer.ggml.scores",
        "tokenizer.ggml.token_type", "tokenizer.ggml.add_bos_token", "k"}) {
    file.GetString(key);
    file.GetUint(key);
    file.GetFloat(key);
    file.GetBool(key);
    file.GetStrings(key);
    file.GetFloats(key);
    file.GetInts(key);
  }
}

// What the file's object promises of each tensor; reads its outermost bytes.
void CheckTensor(const GgufFile& file, const TensorView& tensor) {
  QUIRE_CHECK(file.FindTensor(tensor.name) == &tensor);
  QUIRE_CHECK(TensorByteSize(tensor.type, tensor.shape).value() ==
              tensor.data.size());
  volatile std::byte sink = tensor.data.front();
  sink = tensor.data.back();
  (void)sink;
}

}  // namespace
}  // namespace quire

// A GGUF file, and the model in it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const quire::testing::MemoryFile memory(
      std::string_view(reinterpret_cast<const char*>(data), size));
  const auto file = quire::GgufFile::Open(memory.path());
  const auto model = quire::ModelFiles::Open(memory.path());
  if (!file.ok()) {
    QUIRE_CHECK(!model.ok());
    return 0;
  }
  quire::AskForMetadata(**file);
  for (const quire::TensorView& tensor : (*file)->tensors()) {
    quire::CheckTensor(**file, tensor);
  }
  if (model.ok()) QUIRE_CHECK((*model)->config().Validate().ok());
  return 0;
}
