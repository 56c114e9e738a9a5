#ifndef QUIRE_TESTS_SCHEDULER_TEXT_REFERENCE_LINES_H_
#define QUIRE_TESTS_SCHEDULER_TEXT_REFERENCE_LINES_H_

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "scheduler/text/tokenizer.h"

namespace quire::testing {

// The objects in a file of JSON lines. Aborts where it cannot be read.
std::vector<nlohmann::json> ReadJsonLines(const std::string& path);

// A tokenizer without its model: a GGUF file that need not have tensors, or a
// folder with tokenizer.json.
absl::StatusOr<std::unique_ptr<Tokenizer>> LoadTokenizerAlone(
    const std::string& path);

// How a tokenizer encodes: the key of the ids in a line, and the options that
// should give them.
struct EncodingVariant {
  std::string key;
  Tokenizer::EncodeOptions options;
};
// `ids`: no token is added; `plain_ids`: nor are special tokens recognised;
// `full_ids`: by the model's own rule.
std::vector<EncodingVariant> AllVariants();

// How a tokenizer's ids compare to those in a file of JSON lines with `text`
// and ids. A variant that a line lacks has the same ids as the variant `ids`;
// where that is absent too, it is not compared.
struct Comparison {
  int num_lines = 0;
  int num_checks = 0;
  std::vector<std::string> differences;  // One sentence each.
};
Comparison CompareWithLines(
    const Tokenizer& tokenizer, const std::string& path,
    const std::vector<EncodingVariant>& variants = AllVariants());

}  // namespace quire::testing

#endif  // QUIRE_TESTS_SCHEDULER_TEXT_REFERENCE_LINES_H_
