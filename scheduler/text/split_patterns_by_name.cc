#include "scheduler/text/split_patterns_by_name.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/modelfile/error_text.h"

namespace quire {
namespace {

constexpr std::string_view kGpt2 =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
constexpr std::string_view kLlama3 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2 =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
// The single numeric character that SmolLM's rule sets apart first.
constexpr std::string_view kDigit = R"(\p{N})";

// Names that stand for the same patterns, flags and normalization.
struct Group {
  std::vector<std::string_view> names;
  std::vector<std::string_view> patterns;
  bool ignore_merges = false;
  bool adds_bos = false;
  bool normalizes_nfc = false;
};

const std::vector<Group>& Groups() {
  static const auto& groups = *new std::vector<Group>{
      // Files that name no pre-tokenizer, from before there was the key.
      {{"", "default"},
       {R"([\p{P}\$\+<=>\^~\|]+)", kGpt2, R"(\p{N}+)", "[0-9][0-9][0-9]"}},
      {{"gpt-2", "phi-2", "gigachat", "mellum", "mpt", "olmo", "jais",
        "trillion", "exaone4", "granite-docling"},
       {kGpt2}},
      {{"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone",
        "minerva-7b"},
       {kDigit, kGpt2}},
      {{"llama-bpe", "llama3", "llama-v3", "falcon3", "pixtral", "lfm2"},
       {kLlama3},
       /*ignore_merges=*/true,
       /*adds_bos=*/true},
      {{"qwen2"},
       {kQwen2},
       /*ignore_merges=*/false,
       /*adds_bos=*/false,
       /*normalizes_nfc=*/true},
      {{"deepseek-r1-qwen", "stablelm2", "megrez"}, {kQwen2}},
  };
  return groups;
}

}  // namespace

std::string_view Gpt2SplitPattern() { return kGpt2; }

absl::StatusOr<NamedSplit> FindNamedSplit(std::string_view name) {
  for (const Group& group : Groups()) {
    if (std::find(group.names.begin(), group.names.end(), name) ==
        group.names.end())
      continue;
    NamedSplit split{
        {}, group.ignore_merges, group.adds_bos, group.normalizes_nfc};
    for (const std::string_view pattern : group.patterns) {
      split.steps.push_back({.pattern = std::string(pattern)});
    }
    return split;
  }
  return absl::UnimplementedError(absl::StrCat(
      "pre-tokenizer ", Quoted(name), " (tokenizer.ggml.pre) is not known"));
}

}  // namespace quire
