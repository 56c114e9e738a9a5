#ifndef QUIRE_TESTS_TESTING_REFERENCE_PROMPTS_H_
#define QUIRE_TESTS_TESTING_REFERENCE_PROMPTS_H_

#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"

namespace quire {

// A prompt and what Hugging Face transformers answer to it in float32: greedy,
// end of sequence ignored.
struct ReferencePrompt {
  std::string text;  // After the chat template, where there was one.
  std::vector<Token> prompt_ids;
  std::vector<float> prompt_logprobs;  // Of prompt tokens 1, 2, ...
  std::vector<Token> greedy_ids;
  std::vector<float> greedy_logprobs;
};

// The three tiny models of //tests/testdata:tiny.
std::vector<std::string> TinyModels();
std::string TinyModelPath(const std::string& name);
std::vector<ReferencePrompt> TinyReference(const std::string& name);

// The real model where deploy/local/fetch_model has put it; nullopt: it has not
// been fetched.
std::optional<std::string> SmolLm2Path();
std::vector<ReferencePrompt> SmolLm2Reference();

}  // namespace quire

#endif  // QUIRE_TESTS_TESTING_REFERENCE_PROMPTS_H_
