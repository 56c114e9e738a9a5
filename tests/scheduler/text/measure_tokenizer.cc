// measure_tokenizer TOKENIZER TEXT: how fast a tokenizer (a GGUF file, or a
// folder with tokenizer.json) is on ten megabytes of a text file, over and
// over, and on a megabyte of one letter.

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "tests/scheduler/text/reference_lines.h"

namespace {

void Measure(const quire::Tokenizer& tokenizer, const char* name,
             const std::string& text) {
  const absl::Time start = absl::Now();
  const auto tokens = tokenizer.Encode(text, {});
  const double seconds = absl::ToDoubleSeconds(absl::Now() - start);
  if (!tokens.ok()) {
    std::cerr << name << ": " << tokens.status() << "\n";
    return;
  }
  std::printf("%s: %zu bytes, %zu tokens, %.3f s, %.1f MB/s\n", name,
              text.size(), tokens->size(), seconds,
              static_cast<double>(text.size()) / 1e6 / seconds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s TOKENIZER TEXT\n", argv[0]);
    return 2;
  }
  const auto tokenizer = quire::testing::LoadTokenizerAlone(argv[1]);
  std::ifstream file(argv[2], std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (!tokenizer.ok() || text.empty()) {
    std::cerr << tokenizer.status() << "; " << text.size()
              << " bytes of text\n";
    return 1;
  }
  std::string repeated;
  while (repeated.size() < 10'000'000) repeated += text;
  Measure(**tokenizer, "text", repeated);
  Measure(**tokenizer, "one letter", std::string(1'000'000, 'a'));
  return 0;
}
