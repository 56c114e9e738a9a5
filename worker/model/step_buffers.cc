#include "worker/model/step_buffers.h"

#include <algorithm>

#include "common/status_macros.h"

namespace quire {
namespace {

constexpr int64_t kFloat = sizeof(float);

// Hands out offsets one after the other, each a multiple of two lines:
// processors fetch lines in pairs, so that threads' own buffers stay apart.
class Arena {
 public:
  static int64_t RoundUp(int64_t bytes) { return (bytes + 127) / 128 * 128; }
  int64_t Take(int64_t bytes) {
    const int64_t offset = size_;
    size_ += RoundUp(bytes);
    return offset;
  }
  int64_t size() const { return size_; }

 private:
  int64_t size_ = 0;
};

// Of rows prepared for a matrix of any format; all byte formats share one form.
int64_t PreparedBytes(const StepShape& shape, int64_t num_inputs,
                      int64_t num_rows, bool fine) {
  int64_t bytes = 0;
  for (MatrixFormat format :
       {MatrixFormat::kF32, MatrixFormat::kBf16, MatrixFormat::kQ4}) {
    bytes = std::max(bytes, PreparedRowsBytes(shape.instruction_set, format,
                                              num_inputs, num_rows, fine));
  }
  return bytes;
}

// The most that a piece of gate and up has: few rows have long pieces.
int64_t GateUpFloats(int64_t intermediate_size, int64_t range_rows,
                     int num_threads) {
  const int64_t num_strips =
      (intermediate_size + kStripOutputs - 1) / kStripOutputs;
  int64_t largest = 0;
  for (int64_t rows = 1; rows <= range_rows; ++rows) {
    largest =
        std::max(largest, rows * StripsPerPiece(num_strips, rows, num_threads));
  }
  return 2 * kStripOutputs * largest;
}

}  // namespace

absl::StatusOr<StepBuffers> StepBuffers::Allocate(const ModelConfig& config,
                                                  const StepShape& shape) {
  const int64_t rows = shape.max_rows;
  const int64_t range_rows = std::min(rows, kRangeRows);
  const int64_t attention_size = config.num_heads * config.head_dim;
  const int64_t widest_input = std::max(config.hidden_size, attention_size);
  StepBuffers b;
  b.qkv_stride_ = attention_size + 2 * config.num_kv_heads * config.head_dim;
  b.part_row_bytes_ = Arena::RoundUp(config.hidden_size * kFloat);
  b.part_gate_up_bytes_ = Arena::RoundUp(
      GateUpFloats(config.intermediate_size, range_rows, shape.num_threads) *
      kFloat);
  Arena arena;
  b.hidden_ = arena.Take(rows * config.hidden_size * kFloat);
  b.qkv_ = arena.Take(rows * b.qkv_stride_ * kFloat);
  b.cosines_ = arena.Take(rows * config.head_dim * kFloat);
  b.sines_ = arena.Take(rows * config.head_dim * kFloat);
  b.part_rows_ = arena.Take(shape.num_threads * b.part_row_bytes_);
  b.part_gate_up_ = arena.Take(shape.num_threads * b.part_gate_up_bytes_);
  b.prepared_ = arena.Take(std::max(
      PreparedBytes(shape, widest_input, range_rows, /*fine=*/false),
      PreparedBytes(shape, config.hidden_size, range_rows, /*fine=*/true)));
  b.prepared_gated_ = arena.Take(PreparedBytes(shape, config.intermediate_size,
                                               range_rows, /*fine=*/false));
  b.prepared_logits_ =
      arena.Take(PreparedBytes(shape, config.hidden_size, rows, /*fine=*/true));
  QUIRE_ASSIGN_OR_RETURN(
      b.memory_,
      MappedMemory::Allocate(arena.size(), "the activations of a step"));
  return b;
}

PreparedRows StepBuffers::Prepared(const PackedMatrix& matrix, int64_t num_rows,
                                   bool fine) const {
  return {matrix.format, matrix.num_inputs, num_rows,
          memory_.data() + prepared_, fine};
}

PreparedRows StepBuffers::PreparedGated(const PackedMatrix& down,
                                        int64_t num_rows) const {
  return {down.format, down.num_inputs, num_rows,
          memory_.data() + prepared_gated_};
}

PreparedRows StepBuffers::PreparedLogits(const PackedMatrix& output,
                                         int64_t num_rows) const {
  return {output.format, output.num_inputs, num_rows,
          memory_.data() + prepared_logits_, /*fine=*/true};
}

}  // namespace quire
