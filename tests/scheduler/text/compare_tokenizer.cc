// compare_tokenizer TOKENIZER LINES: compares a tokenizer (a GGUF file, or a
// folder with tokenizer.json) with the ids in a file of JSON lines that
// make_reference.py wrote. Prints what differs; fails where anything does.

#include <cstdio>
#include <iostream>

#include "tests/scheduler/text/reference_lines.h"

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s TOKENIZER LINES\n", argv[0]);
    return 2;
  }
  const auto tokenizer = quire::testing::LoadTokenizerAlone(argv[1]);
  if (!tokenizer.ok()) {
    std::cerr << tokenizer.status() << "\n";
    return 1;
  }
  const auto comparison =
      quire::testing::CompareWithLines(**tokenizer, argv[2]);
  for (size_t i = 0; i < comparison.differences.size() && i < 10; ++i) {
    std::printf("%s\n", comparison.differences[i].c_str());
  }
  std::printf("%s: %d strings, %d checks, %zu differ\n", argv[1],
              comparison.num_lines, comparison.num_checks,
              comparison.differences.size());
  return comparison.differences.empty() ? 0 : 1;
}
