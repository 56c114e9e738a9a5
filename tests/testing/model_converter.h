#ifndef QUIRE_TESTS_TESTING_MODEL_CONVERTER_H_
#define QUIRE_TESTS_TESTING_MODEL_CONVERTER_H_

#include <string>

#include "tests/testing/gguf_writer.h"

namespace quire::testing {

// A small model's Hugging Face folder as a GGUF file that means the same:
// configuration, tokenizer (byte-level BPE) and tensors, of the same types;
// rows of Q and K permuted and Llama 3's RoPE scaling turned into a tensor, as
// the format has it. Folders that ModelFiles refuses end the process.
GgufWriter GgufFromFolder(const std::string& folder);

}  // namespace quire::testing

#endif  // QUIRE_TESTS_TESTING_MODEL_CONVERTER_H_
