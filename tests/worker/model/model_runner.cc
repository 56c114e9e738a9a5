#include "tests/worker/model/model_runner.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <random>

#include "common/check.h"
#include "worker/model/load_model.h"

namespace quire {

ModelRunner::ModelRunner(const ModelFiles& files, const Options& options)
    : options_(options), pool_(options.num_threads) {
  auto model = LoadModel(files, options.model, &pool_, options.communicator);
  if (!model.ok()) std::cerr << model.status() << "\n";
  QUIRE_CHECK(model.ok());
  model_ = *std::move(model);
  QUIRE_CHECK(model_
                  ->AllocateKvCache(options.block_size, options.num_blocks,
                                    options.max_rows)
                  .ok());
  QUIRE_CHECK(model_->AllocateHostBlocks(options.num_host_blocks).ok());
  for (int i = 0; i < options.num_blocks; ++i) free_blocks_.emplace_back(i);
  std::mt19937_64 random(options.shuffle_seed);
  std::shuffle(free_blocks_.begin(), free_blocks_.end(), random);
}

int ModelRunner::Add(const std::vector<Token>& tokens) {
  sequences_.push_back({.tokens = tokens});
  return static_cast<int>(sequences_.size()) - 1;
}

std::vector<ModelRunner::Logits> ModelRunner::Step(
    const std::vector<Part>& parts) {
  Batch batch;
  for (const Part& part : parts) AddRun(part, batch);
  for (int row = 0; row < batch.num_rows(); ++row)
    batch.logit_rows.push_back(row);
  return Compute(batch);
}

std::vector<ModelRunner::Logits> ModelRunner::StepForLast(
    const std::vector<Part>& parts) {
  Batch batch;
  for (const Part& part : parts) {
    AddRun(part, batch);
    batch.logit_rows.push_back(batch.num_rows() - 1);
  }
  return Compute(batch);
}

std::vector<ModelRunner::Logits> ModelRunner::Prefill(int sequence,
                                                      int rows_per_step) {
  std::vector<Logits> all;
  const Sequence& s = sequences_[sequence];
  while (s.num_computed < static_cast<int>(s.tokens.size())) {
    const int left = static_cast<int>(s.tokens.size()) - s.num_computed;
    for (Logits& logits : Step({{sequence, std::min(rows_per_step, left)}})) {
      all.push_back(std::move(logits));
    }
  }
  return all;
}

int ModelRunner::CopyOf(int sequence) {
  Sequence copy = sequences_[sequence];
  copy.blocks.clear();
  GrowTo(copy, copy.num_computed);
  std::vector<BlockCopy> copies;
  for (size_t i = 0; i < copy.blocks.size(); ++i) {
    const int slots_before = static_cast<int>(i) * options_.block_size;
    copies.push_back({.source = sequences_[sequence].blocks[i],
                      .destination = copy.blocks[i],
                      .num_slots = std::min(options_.block_size,
                                            copy.num_computed - slots_before)});
  }
  model_->CopyBlocks(copies);
  sequences_.push_back(copy);
  return static_cast<int>(sequences_.size()) - 1;
}

void ModelRunner::SwapOut(int sequence) {
  std::vector<BlockId>& blocks = sequences_[sequence].blocks;
  model_->SwapOut(SwapsOf(blocks));
  free_blocks_.insert(free_blocks_.end(), blocks.begin(), blocks.end());
  blocks.clear();
}

void ModelRunner::SwapIn(int sequence) {
  GrowTo(sequences_[sequence], sequences_[sequence].num_computed);
  model_->SwapIn(SwapsOf(sequences_[sequence].blocks));
}

std::vector<BlockSwap> ModelRunner::SwapsOf(
    const std::vector<BlockId>& blocks) {
  std::vector<BlockSwap> swaps;
  for (auto host_block = static_cast<uint32_t>(blocks.size());
       const BlockId block : blocks) {
    swaps.push_back({.block = block, .host_block = HostBlockId(--host_block)});
  }
  return swaps;
}

void ModelRunner::AddRun(const Part& part, Batch& batch) {
  Sequence& sequence = sequences_[part.sequence];
  const int end = sequence.num_computed + part.num_rows;
  QUIRE_CHECK(end <= static_cast<int>(sequence.tokens.size()));
  GrowTo(sequence, end);
  if (batch.run_rows.empty()) {
    batch.run_rows.push_back(0);
    batch.run_blocks.push_back(0);
  }
  for (int slot = sequence.num_computed; slot < end; ++slot) {
    batch.tokens.push_back(sequence.tokens[slot]);
    batch.positions.push_back(slot);
    batch.slots.push_back(slot);
  }
  batch.blocks.insert(batch.blocks.end(), sequence.blocks.begin(),
                      sequence.blocks.end());
  batch.run_rows.push_back(batch.num_rows());
  batch.run_blocks.push_back(static_cast<int32_t>(batch.blocks.size()));
  sequence.num_computed = end;
}

std::vector<ModelRunner::Logits> ModelRunner::Compute(const Batch& batch) {
  QUIRE_CHECK(model_->Forward(batch).ok());
  std::vector<Logits> all(batch.logit_rows.size());
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].resize(model_->logits_stride());
    QUIRE_CHECK(
        model_->ComputeLogits(static_cast<int>(i), 1, all[i].data()).ok());
    all[i].resize(
        std::min<size_t>(all[i].size(), model_->config().vocabulary_size));
  }
  return all;
}

void ModelRunner::GrowTo(Sequence& sequence, int num_slots) {
  while (static_cast<int>(sequence.blocks.size()) * options_.block_size <
         num_slots) {
    QUIRE_CHECK(!free_blocks_.empty());
    sequence.blocks.push_back(free_blocks_.back());
    free_blocks_.pop_back();
  }
}

double LogProbability(const ModelRunner::Logits& logits, Token token) {
  const double maximum = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (float logit : logits) sum += std::exp(logit - maximum);
  return logits[token] - maximum - std::log(sum);
}

Token BestToken(const ModelRunner::Logits& logits) {
  return static_cast<Token>(std::max_element(logits.begin(), logits.end()) -
                            logits.begin());
}

std::vector<GreedyReference> ReadGreedyReferences(const std::string& path) {
  std::ifstream file(path);
  std::vector<GreedyReference> references;
  for (std::string line; std::getline(file, line);) {
    const nlohmann::json json = nlohmann::json::parse(line);
    references.push_back({.prompt = json["prompt_ids"],
                          .prompt_logprobs = json["prompt_logprobs"],
                          .greedy = json["greedy_ids"],
                          .greedy_logprobs = json["greedy_logprobs"]});
  }
  return references;
}

}  // namespace quire
