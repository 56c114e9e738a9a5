// fidelity MODEL REFERENCE.jsonl [--text=FILE] [--instruction_set=NAME]
//
// How far --compute=f32 is from a reference of greedy outputs, and each faster
// type of compute and KV from f32, as one JSON object.
//
// The text (the GPL-3 of Debian's common-licenses) is cut into chunks of 512
// tokens, and the second half of each is scored, so that every position has
// some context: mean KL divergence in nats, and the share of positions where
// both find the same token best. The lines of the reference are those of
// ReadGreedyReferences; the first difference is the index of the first token of
// an output that is generated otherwise, or its length.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common/check.h"
#include "common/modelfile/model_files.h"
#include "scheduler/text/tokenizer.h"
#include "tests/worker/model/model_runner.h"

namespace quire {
namespace {

using Logits = ModelRunner::Logits;

constexpr int kChunk = 512;
constexpr int kScored = kChunk / 2;

struct Arguments {
  std::string model;
  std::string references;
  std::string text = "/usr/share/common-licenses/GPL-3";
  InstructionSet instruction_set = BestInstructionSet();
};

std::vector<Token> TokensOf(const ModelFiles& files, const std::string& path) {
  std::ifstream file(path);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  const auto tokenizer = Tokenizer::Load(files);
  QUIRE_CHECK(tokenizer.ok());
  auto tokens = (*tokenizer)->Encode(text, {.parse_special = false});
  QUIRE_CHECK(tokens.ok() && tokens->size() >= kChunk);
  return *std::move(tokens);
}

// Logits of the second half of a chunk.
std::vector<Logits> ScoredLogits(ModelRunner& runner,
                                 const std::vector<Token>& chunk) {
  const int sequence = runner.Add(chunk);
  runner.StepForLast({{sequence, kChunk - kScored}});
  return runner.Step({{sequence, kScored}});
}

// log(sum of exp).
double LogSum(const Logits& logits) {
  return logits[0] - LogProbability(logits, 0);
}

// KL(p || q) in nats.
double Divergence(const Logits& p, const Logits& q) {
  const double p_sum = LogSum(p);
  const double q_sum = LogSum(q);
  double divergence = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    divergence += std::exp(p[i] - p_sum) * ((p[i] - p_sum) - (q[i] - q_sum));
  }
  return divergence;
}

// A type of compute and KV with its distance from f32.
class Variant {
 public:
  Variant(const char* name, const ModelFiles& files,
          const ModelRunner::Options& options)
      : name_(name), runner_(files, options) {}

  void AddChunk(const std::vector<Token>& chunk,
                const std::vector<Logits>& f32) {
    const std::vector<Logits> logits = ScoredLogits(runner_, chunk);
    for (size_t i = 0; i < f32.size(); ++i, ++num_positions_) {
      divergence_ += Divergence(f32[i], logits[i]);
      same_best_ += BestToken(f32[i]) == BestToken(logits[i]);
    }
  }

  void AddReference(const GreedyReference& reference) {
    const int sequence = runner_.Add(reference.prompt);
    int num_rows = static_cast<int>(reference.prompt.size());
    size_t same = 0;
    for (; same < reference.greedy.size(); ++same) {
      const Token best =
          BestToken(runner_.StepForLast({{sequence, num_rows}})[0]);
      if (best != reference.greedy[same]) break;
      runner_.Append(sequence, best);
      num_rows = 1;
    }
    same_tokens_ += static_cast<double>(same);
    ++num_references_;
  }

  void Report(nlohmann::json& report) const {
    report[name_] = {
        {"mean_kl_divergence", divergence_ / num_positions_},
        {"same_best_token_ratio",
         static_cast<double>(same_best_) / num_positions_},
        {"mean_first_greedy_difference", same_tokens_ / num_references_}};
  }

 private:
  const char* name_;
  ModelRunner runner_;
  int num_positions_ = 0;
  int num_references_ = 0;
  int same_best_ = 0;
  double divergence_ = 0;
  double same_tokens_ = 0;
};

// How far f32 is from the reference: the largest difference of a
// log-probability, and greedy tokens that differ.
class ReferenceDistance {
 public:
  void Add(ModelRunner& f32, const GreedyReference& reference) {
    std::vector<Token> tokens = reference.prompt;
    tokens.insert(tokens.end(), reference.greedy.begin(),
                  reference.greedy.end());
    const std::vector<Logits> logits = f32.Prefill(f32.Add(tokens), kChunk);
    const size_t prompt = reference.prompt.size();
    for (size_t i = 1; i < prompt; ++i) {
      Compare(logits[i - 1], reference.prompt[i],
              reference.prompt_logprobs[i - 1]);
    }
    for (size_t i = 0; i < reference.greedy.size(); ++i) {
      const Logits& row = logits[prompt - 1 + i];
      different_tokens_ += BestToken(row) != reference.greedy[i];
      Compare(row, reference.greedy[i], reference.greedy_logprobs[i]);
    }
  }
  nlohmann::json ToJson() const {
    return {{"largest_logprob_difference", logprob_},
            {"different_greedy_tokens", different_tokens_}};
  }

 private:
  void Compare(const Logits& logits, Token token, double wanted) {
    logprob_ =
        std::max(logprob_, std::abs(LogProbability(logits, token) - wanted));
  }
  double logprob_ = 0;
  int different_tokens_ = 0;
};

nlohmann::json Measure(const Arguments& arguments, const ModelFiles& files) {
  const auto options = [&](Compute compute, KvDtype kv_dtype) {
    return ModelRunner::Options{
        .model = {.compute = compute,
                  .kv_dtype = kv_dtype,
                  .instruction_set = arguments.instruction_set},
        .num_threads = 2,
        .num_blocks = 2048,
        .max_rows = 4096};
  };
  Variant variants[] = {
      {"auto_kv_bf16", files, options(Compute::kAuto, KvDtype::kBf16)},
      {"auto_kv_f32", files, options(Compute::kAuto, KvDtype::kF32)}};
  ModelRunner f32(files, options(Compute::kF32, KvDtype::kF32));
  ReferenceDistance distance;
  for (const GreedyReference& reference :
       ReadGreedyReferences(arguments.references)) {
    distance.Add(f32, reference);
    for (Variant& variant : variants) variant.AddReference(reference);
  }
  const std::vector<Token> text = TokensOf(files, arguments.text);
  const size_t num_chunks = text.size() / kChunk;
  for (size_t i = 0; i < num_chunks; ++i) {
    const auto begin = text.begin() + static_cast<ptrdiff_t>(i) * kChunk;
    const std::vector<Token> chunk(begin, begin + kChunk);
    const std::vector<Logits> exact = ScoredLogits(f32, chunk);
    for (Variant& variant : variants) variant.AddChunk(chunk, exact);
  }
  nlohmann::json report = {
      {"instruction_set", InstructionSetName(arguments.instruction_set)},
      {"scored_positions", num_chunks * kScored},
      {"f32_to_reference", distance.ToJson()}};
  for (const Variant& variant : variants) variant.Report(report["to_f32"]);
  return report;
}

bool Parse(int argc, char** argv, Arguments* arguments) {
  constexpr std::string_view kText = "--text=", kSet = "--instruction_set=";
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument.starts_with(kText)) {
      arguments->text = argument.substr(kText.size());
    } else if (argument.starts_with(kSet)) {
      const auto set = InstructionSetNamed(argument.substr(kSet.size()));
      if (!set.has_value() || !IsSupported(*set)) return false;
      arguments->instruction_set = *set;
    } else if (argument.starts_with("--")) {
      return false;
    } else {
      files.push_back(argument);
    }
  }
  if (files.size() != 2) return false;
  arguments->model = files[0];
  arguments->references = files[1];
  return true;
}

int Run(const Arguments& arguments) {
  const auto files = ModelFiles::Open(arguments.model);
  if (!files.ok()) {
    std::cerr << files.status() << "\n";
    return 1;
  }
  std::cout << Measure(arguments, **files).dump(2) << "\n";
  return 0;
}

}  // namespace
}  // namespace quire

int main(int argc, char** argv) {
  try {
    quire::Arguments arguments;
    if (quire::Parse(argc, argv, &arguments)) return quire::Run(arguments);
  } catch (const std::exception& error) {  // The JSON library throws.
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::fprintf(stderr,
               "usage: fidelity MODEL REFERENCE.jsonl [--text=FILE] "
               "[--instruction_set=scalar|avx2|avx512|amx]\n");
  return 2;
}
