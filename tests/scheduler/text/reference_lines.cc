#include "tests/scheduler/text/reference_lines.h"

#include <filesystem>
#include <fstream>
#include <utility>

#include "common/check.h"
#include "common/modelfile/gguf_file.h"
#include "common/status_macros.h"
#include "scheduler/text/bpe_tokenizer.h"
#include "scheduler/text/gguf_tokenizer.h"
#include "scheduler/text/json_tokenizer.h"

namespace quire::testing {
namespace {

using Json = nlohmann::json;

}  // namespace

std::vector<EncodingVariant> AllVariants() {
  return {
      {"ids", {.parse_special = true, .add_special = false}},
      {"plain_ids", {.parse_special = false, .add_special = false}},
      {"full_ids", {.parse_special = true, .add_special = true}},
  };
}

std::vector<Json> ReadJsonLines(const std::string& path) {
  std::ifstream file(path);
  QUIRE_CHECK(file.good());
  std::vector<Json> lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(Json::parse(line, nullptr, /*allow_exceptions=*/false));
    QUIRE_CHECK(lines.back().is_object());
  }
  return lines;
}

absl::StatusOr<std::unique_ptr<Tokenizer>> LoadTokenizerAlone(
    const std::string& path) {
  TokenizerData data;
  if (std::filesystem::is_directory(path)) {
    QUIRE_ASSIGN_OR_RETURN(data, ReadJsonTokenizer(path));
  } else {
    QUIRE_ASSIGN_OR_RETURN(const std::unique_ptr<GgufFile> file,
                           GgufFile::Open(path));
    QUIRE_ASSIGN_OR_RETURN(data, ReadGgufTokenizer(*file));
  }
  return BpeTokenizer::Create(std::move(data));
}

Comparison CompareWithLines(const Tokenizer& tokenizer, const std::string& path,
                            const std::vector<EncodingVariant>& variants) {
  Comparison comparison;
  for (const Json& line : ReadJsonLines(path)) {
    ++comparison.num_lines;
    for (const EncodingVariant& variant : variants) {
      const std::string key = line.contains(variant.key) ? variant.key : "ids";
      if (!line.contains(key)) continue;
      ++comparison.num_checks;
      const auto ids =
          tokenizer.Encode(line["text"].get<std::string>(), variant.options);
      const Json got = ids.ok() ? Json(*ids) : Json(ids.status().ToString());
      if (got == line[key]) continue;
      comparison.differences.push_back(
          "line " + std::to_string(comparison.num_lines) + ", " + variant.key +
          ": " + got.dump() + " where " + line.dump() + " is right");
    }
  }
  return comparison;
}

}  // namespace quire::testing
