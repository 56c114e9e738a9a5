#ifndef QUIRE_TESTS_TESTING_REFERENCE_PROMPTS_H_
#define QUIRE_TESTS_TESTING_REFERENCE_PROMPTS_H_

#include <cstdint>
#include <optional>
#include <random>
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

// A beam search and what Hugging Face transformers find in float32.
struct ReferenceSearch {
  struct Hypothesis {
    std::vector<Token> ids;
    double score = 0;
  };
  std::vector<Token> prompt_ids;
  uint32_t width = 0;
  float length_penalty = 0;
  std::string early_stopping;  // true, false or never.
  uint32_t max_tokens = 0;
  Token end_of_sequence = 0;
  std::vector<Hypothesis> hypotheses;  // [width], best first.
};

// The three tiny models of //tests/testdata:tiny.
std::vector<std::string> TinyModels();
std::string TinyModelPath(const std::string& name);
std::vector<ReferencePrompt> TinyReference(const std::string& name);
// Of the vocabulary of each of them; none is special.
std::vector<Token> RandomTokens(std::mt19937_64& random, size_t count);

// The real model where deploy/local/fetch_model has put it; nullopt: it has not
// been fetched.
std::optional<std::string> SmolLm2Path();
std::vector<ReferencePrompt> SmolLm2Reference();
std::vector<ReferenceSearch> SmolLm2Searches();

}  // namespace quire

#endif  // QUIRE_TESTS_TESTING_REFERENCE_PROMPTS_H_
