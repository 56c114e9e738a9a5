// attention_benchmark [--quick] [--threads=N] [--instruction_set=NAME]
// [--cold_mb=N]: attention over the paged bf16 cache, as one JSON object.
//
// Decode: steps of 1 and of 32 rows (fewer where the working set, --cold_mb,
// has fewer sequences), until all of the working set has been read. read_share
// is that of a linear read of as many bytes, which takes turns with it.
// Prefill: a whole prompt, causal; bf16_share is that of the peak of bf16
// products in vectors, amx_bf16_share of that in tiles.
//
// Three placements take turns: contiguous (a sequence is one block), ascending
// and shuffled blocks of 16 slots. paged_over_contiguous is the time with
// shuffled blocks over that with one block, round by round;
// shuffled_over_ascending tells the part of it that is due to the order.

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/check.h"
#include "kernels/instruction_set.h"
#include "tests/bench/kernels/attention_workload.h"
#include "tests/bench/kernels/kernel_arguments.h"
#include "tests/bench/kernels/machine_peaks.h"
#include "worker/executor/thread_pool.h"
#include "worker/weights/mapped_memory.h"

namespace quire {
namespace {

constexpr int kRowsOfBatch = 32;
// Prefill finds a layer in the caches, where it has just been written, so a few
// layers say as much as all.
constexpr int kPrefillLayers = 4;

// SmolLM2-135M, TinyLlama-1.1B and Llama-3-8B.
constexpr std::array<AttentionShape, 3> kShapes = {{
    {.num_layers = 30, .num_heads = 9, .num_kv_heads = 3, .head_dim = 64},
    {.num_layers = 22, .num_heads = 32, .num_kv_heads = 4, .head_dim = 64},
    {.num_layers = 32, .num_heads = 32, .num_kv_heads = 8, .head_dim = 128},
}};

nlohmann::json Describe(const AttentionShape& shape) {
  return {{"layers", shape.num_layers},
          {"heads", shape.num_heads},
          {"kv_heads", shape.num_kv_heads},
          {"head_dim", shape.head_dim}};
}

double Quantile(std::vector<double> values, double quantile) {
  std::sort(values.begin(), values.end());
  return values[static_cast<size_t>(quantile *
                                    static_cast<double>(values.size() - 1))];
}

nlohmann::json RatioOf(const std::vector<double>& above,
                       const std::vector<double>& below) {
  std::vector<double> ratios(above.size());
  for (size_t i = 0; i < ratios.size(); ++i) ratios[i] = above[i] / below[i];
  return {{"median", Quantile(ratios, 0.5)},
          {"lower_quartile", Quantile(ratios, 0.25)},
          {"upper_quartile", Quantile(ratios, 0.75)}};
}

// The same work by placement, round after round; the first round warms up.
struct Rounds {
  std::vector<double> contiguous;
  std::vector<double> ascending;
  std::vector<double> shuffled;

  template <typename Work>
  void Run(int num_rounds, AttentionWorkload& whole, AttentionWorkload& paged,
           const Work& work, const auto& between) {
    for (int round = 0; round <= num_rounds; ++round) {
      const double of_contiguous = work(whole, Placement::kContiguous);
      const double of_shuffled = work(paged, Placement::kShuffled);
      const double of_ascending = work(paged, Placement::kAscending);
      between();
      if (round == 0) continue;
      contiguous.push_back(of_contiguous);
      ascending.push_back(of_ascending);
      shuffled.push_back(of_shuffled);
    }
  }
  double best() const {
    return *std::min_element(shuffled.begin(), shuffled.end());
  }
  nlohmann::json Describe() const {
    return {{"paged_over_contiguous", RatioOf(shuffled, contiguous)},
            {"shuffled_over_ascending", RatioOf(shuffled, ascending)}};
  }
};

class Benchmark {
 public:
  explicit Benchmark(const KernelArguments& arguments)
      : arguments_(arguments), pool_(arguments.num_threads) {
    constexpr int64_t kFetchedAhead = 8192;
    auto memory = MappedMemory::Allocate(arguments.cold_bytes + kFetchedAhead,
                                         "a benchmark");
    QUIRE_CHECK(memory.ok());
    cold_ = *std::move(memory);
    std::fill_n(cold_.data(), arguments.cold_bytes, std::byte{1});
  }

  nlohmann::json Run() {
    const MachinePeaks peaks =
        MeasureMachinePeaks(&pool_, arguments_.cold_bytes);
    nlohmann::json decode = nlohmann::json::array();
    nlohmann::json prefill = nlohmann::json::array();
    const size_t num_shapes = arguments_.quick ? 1 : kShapes.size();
    for (size_t i = 0; i < num_shapes; ++i) {
      for (const int num_keys : {200, 1000, 4000}) {
        for (auto& result : Decode(kShapes[i], num_keys)) {
          decode.push_back(std::move(result));
        }
      }
      for (const int num_tokens : {512, 2048}) {
        prefill.push_back(Prefill(kShapes[i], num_tokens, peaks));
      }
    }
    return {{"instruction_set", InstructionSetName(arguments_.instruction_set)},
            {"threads", arguments_.num_threads},
            {"cold_bytes", arguments_.cold_bytes},
            {"peaks", quire::Describe(peaks)},
            {"decode", decode},
            {"prefill", prefill}};
  }

 private:
  AttentionWorkload MakeWorkload(const AttentionShape& shape, int num_keys,
                                 int num_sequences, bool is_paged) {
    return {shape,    arguments_.instruction_set,
            num_keys, num_sequences,
            is_paged, &pool_};
  }

  // As many sequences as the working set holds.
  nlohmann::json Decode(const AttentionShape& shape, int num_keys) {
    const int64_t bytes_per_key =
        int64_t{shape.num_layers} * shape.num_kv_heads * shape.head_dim * 4;
    const int num_sequences = std::max<int>(
        1, static_cast<int>(arguments_.cold_bytes / bytes_per_key / num_keys));
    AttentionWorkload whole =
        MakeWorkload(shape, num_keys, num_sequences, /*is_paged=*/false);
    AttentionWorkload paged =
        MakeWorkload(shape, num_keys, num_sequences, /*is_paged=*/true);
    nlohmann::json results;
    for (const int num_rows : {1, std::min(kRowsOfBatch, num_sequences)}) {
      double best_read = 1e9;
      Rounds rounds;
      rounds.Run(
          arguments_.quick ? 4 : 8, whole, paged,
          [&](AttentionWorkload& workload, Placement placement) {
            return workload.DecodeAll(placement, num_rows);
          },
          [&] { best_read = std::min(best_read, ReadSeconds(paged)); });
      nlohmann::json result = rounds.Describe();
      result.update(
          {{"shape", Describe(shape)},
           {"keys", num_keys},
           {"rows", num_rows},
           {"microseconds_per_row_and_layer",
            rounds.best() / num_sequences / shape.num_layers * 1e6},
           {"gigabytes_per_second",
            static_cast<double>(paged.num_bytes()) / rounds.best() * 1e-9},
           {"read_share", best_read / rounds.best()}});
      results.push_back(std::move(result));
    }
    return results;
  }

  // Of as many bytes as the workload holds.
  double ReadSeconds(const AttentionWorkload& workload) {
    const int64_t bytes =
        std::min(workload.num_bytes(), arguments_.cold_bytes) / 64 * 64;
    return LinearReadSeconds(&pool_, cold_.data(), bytes) *
           static_cast<double>(workload.num_bytes()) /
           static_cast<double>(bytes);
  }

  nlohmann::json Prefill(const AttentionShape& shape, int num_tokens,
                         const MachinePeaks& peaks) {
    AttentionShape few_layers = shape;
    few_layers.num_layers = kPrefillLayers;
    AttentionWorkload whole = MakeWorkload(
        few_layers, num_tokens, /*num_sequences=*/1, /*is_paged=*/false);
    AttentionWorkload paged = MakeWorkload(
        few_layers, num_tokens, /*num_sequences=*/1, /*is_paged=*/true);
    Rounds rounds;
    rounds.Run(
        arguments_.quick ? 4 : 8, whole, paged,
        [&](AttentionWorkload& workload, Placement placement) {
          return workload.PrefillLayer(placement);
        },
        [] {});
    // Of scores and values: two operations a product, keys 0 .. row for a row.
    const double operations = 4.0 * shape.num_heads * shape.head_dim *
                              num_tokens * (num_tokens + 1) / 2;
    const double gigaflops = operations / rounds.best() * 1e-9;
    nlohmann::json result = rounds.Describe();
    result.update({{"shape", Describe(shape)},
                   {"tokens", num_tokens},
                   {"microseconds_per_layer", rounds.best() * 1e6},
                   {"gigaflops", gigaflops}});
    if (peaks.bf16_gigaflops > 0)
      result["bf16_share"] = gigaflops / peaks.bf16_gigaflops;
    if (peaks.amx_bf16_gigaflops > 0)
      result["amx_bf16_share"] = gigaflops / peaks.amx_bf16_gigaflops;
    return result;
  }

  const KernelArguments arguments_;
  ThreadPool pool_;
  MappedMemory cold_;
};

}  // namespace
}  // namespace quire

int main(int argc, char** argv) {
  try {
    if (const auto arguments =
            quire::ParseKernelArguments(argc, argv, 128, 1024)) {
      std::cout << quire::Benchmark(*arguments).Run().dump(2) << "\n";
      return 0;
    }
  } catch (const std::exception& error) {  // The JSON library throws.
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::fprintf(stderr,
               "usage: attention_benchmark [--quick] [--threads=N] "
               "[--instruction_set=scalar|avx2|avx512|amx] [--cold_mb=N]\n");
  return 2;
}
