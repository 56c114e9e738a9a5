#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>

#include "common/modelfile/gguf_file.h"
#include "common/modelfile/model_files.h"
#include "tests/testing/fuzz_driver.h"
#include "tests/testing/memory_file.h"

namespace quire {
namespace {

using testing::MemoryFile;
using testing::ReadCorpus;

// Mutations of what is refused at the door find little behind it.
TEST(GgufCorpus, CoversEveryTensorTypeAndBothArchitectures) {
  std::set<TensorType> types;
  std::set<std::string> architectures;
  for (const std::string& seed :
       ReadCorpus("tests/fuzz/modelfile/corpus/gguf")) {
    const MemoryFile memory(seed);
    if (const auto file = GgufFile::Open(memory.path()); file.ok()) {
      for (const TensorView& tensor : (*file)->tensors()) {
        types.insert(tensor.type);
      }
    }
    if (const auto model = ModelFiles::Open(memory.path()); model.ok()) {
      architectures.insert((*model)->config().architecture);
    }
  }
  EXPECT_EQ(types.size(), 13u);
  EXPECT_EQ(architectures, (std::set<std::string>{"llama", "qwen2"}));
}

}  // namespace
}  // namespace quire
