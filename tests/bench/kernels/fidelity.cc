// fidelity MODEL REFERENCE.jsonl [scalar|avx2|avx512]: how far --compute=f32 is
// from a reference of greedy outputs, and
// --compute=auto from f32, as one JSON object.
//
// The lines of the reference are those of ReadGreedyReferences. Distances are
// over all positions of prompts and outputs, with the reference's tokens fed to
// the model.

#include <cmath>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/modelfile/model_files.h"
#include "tests/worker/model/model_runner.h"

namespace quire {
namespace {

using Logits = ModelRunner::Logits;

// Logits of every position of prompt and output.
std::vector<Logits> AllLogits(ModelRunner& runner,
                              const GreedyReference& reference) {
  std::vector<Token> tokens = reference.prompt;
  tokens.insert(tokens.end(), reference.greedy.begin(), reference.greedy.end());
  return runner.Prefill(runner.Add(tokens), 512);
}

// How far one line is from the reference: the largest difference of a
// log-probability, and greedy tokens that differ.
struct Distance {
  double logprob = 0;
  int tokens = 0;
};
Distance DistanceTo(const GreedyReference& reference,
                    const std::vector<Logits>& logits) {
  Distance distance;
  const size_t prompt = reference.prompt.size();
  const auto compare = [&](size_t row, Token token, double wanted) {
    distance.logprob =
        std::max(distance.logprob,
                 std::abs(LogProbability(logits[row], token) - wanted));
  };
  for (size_t i = 1; i < prompt; ++i) {
    compare(i - 1, reference.prompt[i], reference.prompt_logprobs[i - 1]);
  }
  for (size_t i = 0; i < reference.greedy.size(); ++i) {
    const size_t row = prompt - 1 + i;
    if (BestToken(logits[row]) != reference.greedy[i]) ++distance.tokens;
    compare(row, reference.greedy[i], reference.greedy_logprobs[i]);
  }
  return distance;
}

// KL(p || q) in nats.
double Divergence(const Logits& p, const Logits& q) {
  const auto log_sum = [](const Logits& logits) {
    return -LogProbability(logits, 0) + logits[0];
  };
  const double p_sum = log_sum(p);
  const double q_sum = log_sum(q);
  double divergence = 0;
  for (size_t i = 0; i < p.size(); ++i) {
    divergence += std::exp(p[i] - p_sum) * ((p[i] - p_sum) - (q[i] - q_sum));
  }
  return divergence;
}

class Comparison {
 public:
  void Add(const GreedyReference& reference, const std::vector<Logits>& f32,
           const std::vector<Logits>& automatic) {
    const Distance distance = DistanceTo(reference, f32);
    largest_logprob_ = std::max(largest_logprob_, distance.logprob);
    different_tokens_ += distance.tokens;
    for (size_t i = 0; i < f32.size(); ++i, ++num_positions_) {
      divergence_ += Divergence(f32[i], automatic[i]);
      same_best_ += BestToken(f32[i]) == BestToken(automatic[i]);
    }
  }
  nlohmann::json ToJson() const {
    return {{"positions", num_positions_},
            {"f32_to_reference_largest_logprob_difference", largest_logprob_},
            {"f32_to_reference_different_greedy_tokens", different_tokens_},
            {"auto_to_f32_mean_kl_divergence", divergence_ / num_positions_},
            {"auto_to_f32_same_best_token_ratio",
             static_cast<double>(same_best_) / num_positions_}};
  }

 private:
  int num_positions_ = 0;
  int different_tokens_ = 0;
  int same_best_ = 0;
  double largest_logprob_ = 0;
  double divergence_ = 0;
};

InstructionSet InstructionSetByName(const std::string& name) {
  for (InstructionSet set : {InstructionSet::kScalar, InstructionSet::kAvx2}) {
    if (InstructionSetName(set) == name) return set;
  }
  return InstructionSet::kAvx512;
}

int Run(const std::string& model, const std::string& path,
        InstructionSet instruction_set) {
  const auto files = ModelFiles::Open(model);
  if (!files.ok()) {
    std::cerr << files.status() << "\n";
    return 1;
  }
  ModelRunner::Options options = {.num_threads = 2, .num_blocks = 1024};
  options.model = {.compute = Compute::kF32,
                   .instruction_set = instruction_set};
  ModelRunner f32(**files, options);
  options.model.compute = Compute::kAuto;
  ModelRunner automatic(**files, options);
  Comparison comparison;
  for (const GreedyReference& reference : ReadGreedyReferences(path)) {
    comparison.Add(reference, AllLogits(f32, reference),
                   AllLogits(automatic, reference));
  }
  std::cout << comparison.ToJson().dump(2) << "\n";
  return 0;
}

}  // namespace
}  // namespace quire

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(
        stderr, "usage: fidelity MODEL REFERENCE.jsonl [scalar|avx2|avx512]\n");
    return 2;
  }
  const quire::InstructionSet set = argc > 3
                                        ? quire::InstructionSetByName(argv[3])
                                        : quire::BestInstructionSet();
  return quire::Run(argv[1], argv[2], set);
}
