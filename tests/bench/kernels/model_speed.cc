// model_speed MODEL [--threads=N] [--compute=auto|f32]
// [--instruction_set=scalar|avx2|avx512|amx]: speed of the model's steps
// without scheduler and sampler, and the machine's peaks in the same run, as
// one JSON object.
//
// Decode: steps of 1, 8 and 32 streams of 200 tokens each, logits of all.
// Prefill: one prompt of 512 tokens in one step, logits of the last. Best of
// many windows.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/check.h"
#include "common/modelfile/model_files.h"
#include "tests/bench/kernels/bench_clock.h"
#include "tests/bench/kernels/machine_peaks.h"
#include "worker/executor/thread_pool.h"
#include "worker/model/batch.h"
#include "worker/model/load_model.h"
#include "worker/model/model.h"

namespace quire {
namespace {

constexpr int kBlockSize = 16;
constexpr int kBlocksPerStream = 64;
constexpr int kContext = 200;
constexpr int kPrompt = 512;
constexpr int kMaxStreams = 64;

// Rows [begin, end) of each of the first num_streams streams, logits of the
// last of each. Streams have blocks of their own, interleaved.
Batch MakeBatch(int num_streams, int begin, int end) {
  Batch batch;
  batch.run_rows.push_back(0);
  batch.run_blocks.push_back(0);
  for (int stream = 0; stream < num_streams; ++stream) {
    for (int slot = begin; slot < end; ++slot) {
      batch.tokens.push_back(100 + (stream * 31 + slot * 7) % 400);
      batch.positions.push_back(slot);
      batch.slots.push_back(slot);
    }
    for (int i = 0; i * kBlockSize < end; ++i) {
      batch.blocks.emplace_back(i * kMaxStreams + stream);
    }
    batch.logit_rows.push_back(batch.num_rows() - 1);
    batch.run_rows.push_back(batch.num_rows());
    batch.run_blocks.push_back(static_cast<int32_t>(batch.blocks.size()));
  }
  return batch;
}

class Speed {
 public:
  explicit Speed(Model* model)
      : model_(model), logits_(kMaxStreams * model->config().vocabulary_size) {}

  double DecodeTokensPerSecond(int num_streams) {
    for (int slot = 0; slot < kContext; slot += 50) {
      Execute(MakeBatch(num_streams, slot, slot + 50));
    }
    return num_streams /
           BestSeconds(MakeBatch(num_streams, kContext, kContext + 1), 40);
  }

  double PrefillTokensPerSecond() {
    return kPrompt / BestSeconds(MakeBatch(1, 0, kPrompt), 4);
  }

 private:
  void Execute(const Batch& batch) {
    QUIRE_CHECK(model_->Forward(batch).ok());
    QUIRE_CHECK(model_
                    ->ComputeLogits(0,
                                    static_cast<int>(batch.logit_rows.size()),
                                    logits_.data())
                    .ok());
  }
  double BestSeconds(const Batch& batch, int windows) {
    double best = 1e9;
    for (int i = 0; i < windows; ++i) {
      const double start = SecondsNow();
      Execute(batch);
      best = std::min(best, SecondsNow() - start);
    }
    return best;
  }

  Model* const model_;
  std::vector<float> logits_;
};

struct Arguments {
  std::string model;
  int num_threads = 2;
  ModelOptions options;
};

bool TakeFlag(std::string_view argument, std::string_view name,
              std::string* value) {
  if (!argument.starts_with(name)) return false;
  argument.remove_prefix(name.size());
  *value = argument;
  return true;
}

std::optional<Arguments> Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    std::string value;
    if (TakeFlag(argv[i], "--threads=", &value)) {
      arguments.num_threads = std::max(1, std::atoi(value.c_str()));
    } else if (TakeFlag(argv[i], "--compute=", &value)) {
      arguments.options.compute =
          value == "f32" ? Compute::kF32 : Compute::kAuto;
    } else if (TakeFlag(argv[i], "--instruction_set=", &value)) {
      const auto set = InstructionSetNamed(value);
      if (!set.has_value() || !IsSupported(*set)) return std::nullopt;
      arguments.options.instruction_set = *set;
    } else if (!std::string_view(argv[i]).starts_with("--")) {
      arguments.model = argv[i];
    } else {
      return std::nullopt;
    }
  }
  if (arguments.model.empty()) return std::nullopt;
  return arguments;
}

int Run(const Arguments& arguments) {
  const auto files = ModelFiles::Open(arguments.model);
  if (!files.ok()) {
    std::cerr << files.status() << "\n";
    return 1;
  }
  ThreadPool pool(arguments.num_threads);
  const MachinePeaks before = MeasureMachinePeaks(&pool);
  const double start = SecondsNow();
  const auto model = LoadModel(**files, arguments.options, &pool);
  const double load_seconds = SecondsNow() - start;
  absl::Status status = model.status();
  if (status.ok()) {
    status = (*model)->AllocateKvCache(kBlockSize,
                                       kMaxStreams * kBlocksPerStream, 2048);
  }
  if (!status.ok()) {
    std::cerr << status << "\n";
    return 1;
  }
  Speed speed(model->get());
  nlohmann::json result;
  result["instruction_set"] =
      InstructionSetName(arguments.options.instruction_set);
  result["threads"] = arguments.num_threads;
  result["load_seconds"] = load_seconds;
  for (int streams : {1, 8, 32}) {
    result["decode_tokens_per_second"][std::to_string(streams)] =
        speed.DecodeTokensPerSecond(streams);
  }
  result["prefill_tokens_per_second"] = speed.PrefillTokensPerSecond();
  result["peaks_before"] = Describe(before);
  result["peaks_after"] = Describe(MeasureMachinePeaks(&pool));
  std::cout << result.dump(2) << "\n";
  return 0;
}

}  // namespace
}  // namespace quire

int main(int argc, char** argv) {
  try {
    if (const auto arguments = quire::Parse(argc, argv)) {
      return quire::Run(*arguments);
    }
  } catch (const std::exception& error) {  // The JSON library throws.
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::fprintf(stderr,
               "usage: model_speed MODEL [--threads=N] [--compute=auto|f32] "
               "[--instruction_set=scalar|avx2|avx512|amx]\n");
  return 2;
}
