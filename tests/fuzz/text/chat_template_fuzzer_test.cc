#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

#include "tests/testing/fuzz_driver.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace quire {
namespace {

TEST(ChatTemplateFuzzer, SurvivesItsCorpusAndMutationsOfIt) {
  EXPECT_GT(
      testing::RunFuzzer(LLVMFuzzerTestOneInput,
                         {.corpus = "tests/fuzz/text/corpus/chat_template"}),
      100);
}

}  // namespace
}  // namespace quire
