// matmul_benchmark [--quick] [--threads=N] [--instruction_set=NAME]
// [--cold_mb=N]: speed of products by stored type, shape and number of rows, as
// one JSON object, beside what the machine gives in the same run.
//
// Weights are cold: a product is repeated over copies of its matrix that no
// cache holds together, in their order in memory, like the layers of a model.
// read_share is that of the measured read bandwidth, which bounds one row;
// int8_share that of the peak of int8 dot products in vectors, amx_bf16_share
// that of products in tiles. Fine rows of bytes count twice in operations. Best
// of several windows.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/check.h"
#include "common/modelfile/tensor.h"
#include "kernels/instruction_set.h"
#include "kernels/matmul.h"
#include "kernels/matrix_format.h"
#include "kernels/packed_matrix.h"
#include "tests/bench/kernels/bench_clock.h"
#include "tests/bench/kernels/kernel_arguments.h"
#include "tests/bench/kernels/machine_peaks.h"
#include "tests/kernels/random_weights.h"
#include "worker/executor/thread_pool.h"
#include "worker/weights/mapped_memory.h"

namespace quire {
namespace {

constexpr int64_t kMaxRows = 512;

struct Shape {
  int64_t num_outputs;
  int64_t num_inputs;
  bool fine = false;
};

MappedMemory Allocate(int64_t num_bytes) {
  auto memory = MappedMemory::Allocate(num_bytes, "a benchmark");
  QUIRE_CHECK(memory.ok());
  return *std::move(memory);
}

// One type and shape.
class Product {
 public:
  Product(const KernelArguments& arguments, TensorType type, const Shape& shape,
          ThreadPool* pool)
      : arguments_(arguments), fine_(shape.fine), pool_(pool) {
    matrix_ = {FastFormatOf(type), shape.num_outputs, shape.num_inputs};
    num_copies_ =
        std::max<int64_t>(2, arguments.cold_bytes / matrix_.num_bytes());
    // What is fetched ahead of the last strip is there, too.
    weights_ = Allocate(num_copies_ * matrix_.num_bytes() + 8192);
    Pack(type);
    const int64_t prepared_bytes =
        PreparedRowsBytes(arguments.instruction_set, matrix_.format,
                          matrix_.num_inputs, kMaxRows, fine_);
    prepared_ = Allocate(prepared_bytes);
    y_.resize(kMaxRows * StrideFor(matrix_.num_outputs));
  }

  // Of one product.
  double Seconds(int64_t num_rows) {
    const PreparedRows rows = Prepare(num_rows);
    const int64_t operations =
        num_rows * matrix_.num_outputs * matrix_.num_inputs * 2;
    // Windows of about 20 ms at 500 billion operations a second, or of all
    // copies.
    const int64_t per_window =
        std::clamp<int64_t>(10'000'000'000 / operations, 1, num_copies_);
    double best = 1e9;
    for (int window = 0; window < (arguments_.quick ? 4 : 12); ++window) {
      const double start = SecondsNow();
      for (int64_t i = 0; i < per_window; ++i) MultiplyNext(rows);
      best = std::min(best, SecondsNow() - start);
    }
    return best / static_cast<double>(per_window);
  }

  int64_t num_bytes() const { return matrix_.num_bytes(); }

 private:
  void Pack(TensorType type) {
    RandomFloats random(1);
    const std::vector<std::byte> stored = RandomWeights(
        type, matrix_.num_outputs * matrix_.num_inputs, 1.0f, random);
    const TensorView tensor{.type = type,
                            .shape = {matrix_.num_outputs, matrix_.num_inputs},
                            .data = stored};
    const TensorView* parts[] = {&tensor};
    matrix_.data = weights_.data();
    PackStrips(parts, matrix_, 0, matrix_.num_strips());
    for (int64_t i = 1; i < num_copies_; ++i) {
      std::memcpy(weights_.data() + i * matrix_.num_bytes(), weights_.data(),
                  matrix_.num_bytes());
    }
  }

  PreparedRows Prepare(int64_t num_rows) {
    const PreparedRows rows = {matrix_.format, matrix_.num_inputs, num_rows,
                               prepared_.data(), fine_};
    std::vector<float> x = RandomFloats(2).Vector(matrix_.num_inputs);
    // What sticks out in every group gives all of them both levels of bytes.
    for (int64_t k = 0; fine_ && k < matrix_.num_inputs; k += kInputGroup) {
      x[k] = 8;
    }
    for (int64_t row = 0; row < num_rows; ++row) {
      PrepareRow(arguments_.instruction_set, x.data(), 0, matrix_.num_inputs,
                 row, rows);
    }
    return rows;
  }

  void MultiplyNext(const PreparedRows& rows) {
    next_copy_ = (next_copy_ + 1) % num_copies_;
    matrix_.data = weights_.data() + next_copy_ * matrix_.num_bytes();
    pool_->ParallelFor(matrix_.num_strips(), [&](int64_t begin, int64_t end) {
      MatMul(arguments_.instruction_set, matrix_, rows, 0, rows.num_rows, begin,
             end,
             {.y = y_.data() + begin * kStripOutputs,
              .stride = StrideFor(matrix_.num_outputs)});
    });
  }

  const KernelArguments arguments_;
  const bool fine_;
  ThreadPool* const pool_;
  PackedMatrix matrix_;
  int64_t num_copies_ = 0;
  int64_t next_copy_ = 0;
  MappedMemory weights_;
  MappedMemory prepared_;
  std::vector<float> y_;
};

nlohmann::json Measure(const KernelArguments& arguments,
                       const MachinePeaks& peaks, TensorType type,
                       const Shape& shape, ThreadPool* pool) {
  nlohmann::json products;
  Product product(arguments, type, shape, pool);
  const bool counts_twice = shape.fine && IsByteFormat(FastFormatOf(type)) &&
                            arguments.instruction_set != InstructionSet::kAmx;
  for (const int64_t num_rows : {1, 4, 8, 16, 32, 64, 512}) {
    const double seconds = product.Seconds(num_rows);
    const double gigabytes =
        static_cast<double>(product.num_bytes()) / seconds * 1e-9;
    const double gigaops =
        static_cast<double>(num_rows * shape.num_outputs * shape.num_inputs) *
        (counts_twice ? 4 : 2) / seconds * 1e-9;
    nlohmann::json result = {
        {"type", GetTensorTypeInfo(type).name},
        {"outputs", shape.num_outputs},
        {"inputs", shape.num_inputs},
        {"fine", shape.fine},
        {"rows", num_rows},
        {"microseconds", seconds * 1e6},
        {"gigabytes_per_second", gigabytes},
        {"read_share", gigabytes / peaks.read_gigabytes_per_second},
        {"gigaops", gigaops}};
    if (peaks.int8_gigaops > 0)
      result["int8_share"] = gigaops / peaks.int8_gigaops;
    if (peaks.amx_bf16_gigaflops > 0)
      result["amx_bf16_share"] = gigaops / peaks.amx_bf16_gigaflops;
    products.push_back(std::move(result));
  }
  return products;
}

// Shapes of SmolLM2-135M, and of a model of 1.1 billion weights, whose rows are
// wide enough for the K types.
nlohmann::json MeasureAll(const KernelArguments& arguments) {
  const std::vector<Shape> narrow = {
      {3072, 576}, {576, 1536}, {960, 576, true}, {49152, 576, true}};
  const std::vector<Shape> wide = {{2560, 2048}, {11264, 2048}};
  ThreadPool pool(arguments.num_threads);
  const MachinePeaks peaks = MeasureMachinePeaks(&pool, arguments.cold_bytes);
  nlohmann::json products = nlohmann::json::array();
  for (const TensorType type :
       {TensorType::kQ4_1, TensorType::kQ4_0, TensorType::kQ8_0,
        TensorType::kQ4_K, TensorType::kQ5_K, TensorType::kQ6_K,
        TensorType::kQ3_K, TensorType::kQ2_K, TensorType::kBF16}) {
    std::vector<Shape> shapes = {wide[0]};
    if (!arguments.quick) shapes = wide;
    const bool fits_narrow = GetTensorTypeInfo(type).elements <= 32;
    if (fits_narrow && !arguments.quick)
      shapes.insert(shapes.end(), narrow.begin(), narrow.end());
    for (const Shape& shape : shapes) {
      for (auto& result : Measure(arguments, peaks, type, shape, &pool)) {
        products.push_back(std::move(result));
      }
    }
  }
  return {{"instruction_set", InstructionSetName(arguments.instruction_set)},
          {"threads", arguments.num_threads},
          {"peaks", Describe(peaks)},
          {"products", products}};
}

}  // namespace
}  // namespace quire

int main(int argc, char** argv) {
  try {
    if (const auto arguments =
            quire::ParseKernelArguments(argc, argv, 64, 256)) {
      std::cout << quire::MeasureAll(*arguments).dump(2) << "\n";
      return 0;
    }
  } catch (const std::exception& error) {  // The JSON library throws.
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::fprintf(stderr,
               "usage: matmul_benchmark [--quick] [--threads=N] "
               "[--instruction_set=scalar|avx2|avx512|amx] [--cold_mb=N]\n");
  return 2;
}
