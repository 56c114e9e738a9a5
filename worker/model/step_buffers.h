#ifndef QUIRE_WORKER_MODEL_STEP_BUFFERS_H_
#define QUIRE_WORKER_MODEL_STEP_BUFFERS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "common/modelfile/model_config.h"
#include "kernels/instruction_set.h"
#include "kernels/matmul.h"
#include "kernels/packed_matrix.h"
#include "worker/weights/mapped_memory.h"

namespace quire {

// What the buffers of a step are sized by, beside the model.
struct StepShape {
  InstructionSet instruction_set = InstructionSet::kScalar;
  int max_rows = 0;
  int num_threads = 1;
};

// Strips of a product that a thread takes at a time. Few rows run at the speed
// of memory, best in long streams.
inline int64_t StripsPerPiece(int64_t num_strips, int64_t num_rows,
                              int num_threads) {
  constexpr int64_t kFewRows = 4;
  constexpr int64_t kPiecesPerThread = 4;
  const int64_t num_pieces =
      num_threads * (num_rows <= kFewRows ? 1 : kPiecesPerThread);
  return (num_strips + num_pieces - 1) / num_pieces;
}

// The activations of a step, allocated once; pages become resident as steps
// grow. Buffers are reused as a layer proceeds.
class StepBuffers {
 public:
  // Rows that go through the products of a block together.
  static constexpr int64_t kRangeRows = 256;

  static absl::StatusOr<StepBuffers> Allocate(const ModelConfig& config,
                                              const StepShape& shape);
  StepBuffers() = default;  // Empty.

  // The residual stream. [max_rows, hidden_size]
  float* hidden() const { return Floats(hidden_); }
  // Q, K and V of a layer; the attention's output takes the place of Q.
  // [max_rows, qkv_stride()]
  float* qkv() const { return Floats(qkv_); }
  int64_t qkv_stride() const { return qkv_stride_; }
  // Of RoPE, by row. [max_rows, head_dim]
  float* cosines() const { return Floats(cosines_); }
  float* sines() const { return Floats(sines_); }
  // Of a part of a task, see ThreadPool. [hidden_size]
  float* part_row(int part) const {
    return Floats(part_rows_ + part * part_row_bytes_);
  }
  // The same, for a piece of gate and up: [rows, 2, outputs of the piece].
  float* part_gate_up(int part) const {
    return Floats(part_gate_up_ + part * part_gate_up_bytes_);
  }

  // The input of the next product. REQUIRES: at most kRangeRows rows; fine rows
  // have hidden_size inputs.
  PreparedRows Prepared(const PackedMatrix& matrix, int64_t num_rows,
                        bool fine = false) const;
  // That of down, which is written while that of gate and up is read.
  PreparedRows PreparedGated(const PackedMatrix& down, int64_t num_rows) const;
  // That of the output matrix, which lasts until the next step. Fine (in
  // lanes): logits are where rounding shows most, and a single row waits for
  // memory anyway.
  PreparedRows PreparedLogits(const PackedMatrix& output,
                              int64_t num_rows) const;

 private:
  float* Floats(int64_t offset) const {
    return reinterpret_cast<float*>(memory_.data() + offset);
  }

  MappedMemory memory_;
  int64_t qkv_stride_ = 0;
  int64_t part_row_bytes_ = 0;
  int64_t part_gate_up_bytes_ = 0;
  // Offsets in bytes.
  int64_t hidden_ = 0;
  int64_t qkv_ = 0;
  int64_t cosines_ = 0;
  int64_t sines_ = 0;
  int64_t part_rows_ = 0;
  int64_t part_gate_up_ = 0;
  int64_t prepared_ = 0;
  int64_t prepared_gated_ = 0;
  int64_t prepared_logits_ = 0;
};

}  // namespace quire

#endif  // QUIRE_WORKER_MODEL_STEP_BUFFERS_H_
