#ifndef QUIRE_TESTS_WORKER_MODEL_MODEL_RUNNER_H_
#define QUIRE_TESTS_WORKER_MODEL_MODEL_RUNNER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/ids.h"
#include "common/modelfile/model_files.h"
#include "worker/comm/communicator.h"
#include "worker/executor/thread_pool.h"
#include "worker/model/batch.h"
#include "worker/model/model.h"

namespace quire {

// A model with its threads and a cache whose blocks are handed out in a
// shuffled order: what an executor does, in the smallest form. Failures to load
// end the process.
class ModelRunner {
 public:
  struct Options {
    ModelOptions model;
    int num_threads = 1;
    int block_size = 16;
    int num_blocks = 64;
    int num_host_blocks = 0;
    int max_rows = 512;
    uint64_t shuffle_seed = 1;
    Communicator* communicator = nullptr;  // Of several ranks.
  };
  using Logits = std::vector<float>;  // [vocabulary_size]

  ModelRunner(const ModelFiles& files, const Options& options);

  // A sequence of these tokens, of which none is computed yet. Returns its
  // index.
  int Add(const std::vector<Token>& tokens);
  void Append(int sequence, Token token) {
    sequences_[sequence].tokens.push_back(token);
  }

  // The next num_rows tokens of a sequence.
  struct Part {
    int sequence;
    int num_rows;
  };
  // Computes the parts in one step. Logits of every row, in their order; of
  // ranks other than 0 nothing.
  std::vector<Logits> Step(const std::vector<Part>& parts);
  // Logits of the last row of each part alone.
  std::vector<Logits> StepForLast(const std::vector<Part>& parts);

  // Computes all tokens of a sequence, at most rows_per_step a step. Logits of
  // every row.
  std::vector<Logits> Prefill(int sequence, int rows_per_step);

  // A second sequence that starts as a copy of what the first has computed, in
  // blocks of its own.
  int CopyOf(int sequence);

  // Gives the blocks of a sequence to whoever grows next, and brings what it
  // has computed back into others. One sequence at a time.
  void SwapOut(int sequence);
  void SwapIn(int sequence);

  Model& model() { return *model_; }

 private:
  struct Sequence {
    std::vector<Token> tokens;
    std::vector<BlockId> blocks;
    int num_computed = 0;
  };
  void AddRun(const Part& part, Batch& batch);
  std::vector<Logits> Compute(const Batch& batch);
  // To or from the first host blocks, in reverse order.
  static std::vector<BlockSwap> SwapsOf(const std::vector<BlockId>& blocks);
  void GrowTo(Sequence& sequence, int num_slots);

  const Options options_;
  ThreadPool pool_;
  std::unique_ptr<Model> model_;
  std::vector<BlockId> free_blocks_;
  std::vector<Sequence> sequences_;
};

// Of the token in the softmax of the logits.
double LogProbability(const ModelRunner::Logits& logits, Token token);
Token BestToken(const ModelRunner::Logits& logits);

// One line of a reference.jsonl: what Hugging Face's transformers yield in
// float32, at temperature 0.
struct GreedyReference {
  std::vector<Token> prompt;
  std::vector<double> prompt_logprobs;  // Of the tokens after the first.
  std::vector<Token> greedy;
  std::vector<double> greedy_logprobs;
};
std::vector<GreedyReference> ReadGreedyReferences(const std::string& path);

}  // namespace quire

#endif  // QUIRE_TESTS_WORKER_MODEL_MODEL_RUNNER_H_
