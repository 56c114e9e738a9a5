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

// The activations of a step, allocated once; pages become resident as steps
// grow. Buffers are reused as a layer proceeds.
class StepBuffers {
 public:
  // Rows that go through the products of a block together.
  static constexpr int64_t kRangeRows = 128;

  static absl::StatusOr<StepBuffers> Allocate(const ModelConfig& config,
                                              const StepShape& shape);
  StepBuffers() = default;  // Empty.

  // The residual stream. [max_rows, hidden_size]
  float* hidden() const { return Floats(hidden_); }
  // Q, K and V of a layer; the attention's output takes the place of Q.
  // [max_rows, qkv_stride()]
  float* qkv() const { return Floats(qkv_); }
  int64_t qkv_stride() const { return qkv_stride_; }
  // Gate, then up. [kRangeRows, 2 * intermediate_size]
  float* gate_up() const { return Floats(gate_up_); }
  // Of RoPE, by row. [max_rows, head_dim]
  float* cosines() const { return Floats(cosines_); }
  float* sines() const { return Floats(sines_); }
  // Of a part of a task, see ThreadPool. [max(hidden_size, intermediate_size)]
  float* part_row(int part) const {
    return Floats(part_rows_ + part * part_row_bytes_);
  }

  // The input of the next product. REQUIRES: at most kRangeRows rows; fine rows
  // have hidden_size inputs.
  PreparedRows Prepared(const PackedMatrix& matrix, int64_t num_rows,
                        bool fine = false) const;
  // That of the output matrix, which lasts until the next step. Fine: logits
  // are where rounding shows most, and a single row waits for memory anyway.
  PreparedRows PreparedLogits(const PackedMatrix& output,
                              int64_t num_rows) const;

 private:
  float* Floats(int64_t offset) const {
    return reinterpret_cast<float*>(memory_.data() + offset);
  }

  MappedMemory memory_;
  int64_t qkv_stride_ = 0;
  int64_t part_row_bytes_ = 0;
  // Offsets in bytes.
  int64_t hidden_ = 0;
  int64_t qkv_ = 0;
  int64_t gate_up_ = 0;
  int64_t cosines_ = 0;
  int64_t sines_ = 0;
  int64_t part_rows_ = 0;
  int64_t prepared_ = 0;
  int64_t prepared_logits_ = 0;
};

}  // namespace quire

#endif  // QUIRE_WORKER_MODEL_STEP_BUFFERS_H_
