#ifndef QUIRE_WORKER_MODEL_MODEL_H_
#define QUIRE_WORKER_MODEL_MODEL_H_

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "common/modelfile/model_config.h"
#include "kernels/instruction_set.h"
#include "worker/model/batch.h"
#include "worker/model/phase_times.h"

namespace quire {

// kF32: weights dequantized exactly, everything in float32. kAuto: the fast
// one, in low precision.
enum class Compute { kF32, kAuto };
enum class KvDtype { kF32, kBf16 };

struct ModelOptions {
  Compute compute = Compute::kAuto;
  KvDtype kv_dtype = KvDtype::kBf16;  // kF32 where compute is kF32.
  InstructionSet instruction_set = BestInstructionSet();
  // Gets the time of every phase, and must outlive the model. Null: nothing is
  // measured.
  PhaseTimes* phase_times = nullptr;
};

// One rank's decoder and its shard of the paged KV cache. All ranks of a group
// are called alike. What a row yields depends on its own sequence alone, and on
// the number of ranks: not on the other rows of the batch, on how a prompt is
// cut into steps, on which blocks hold it or on the number of threads. One
// thread calls it. LoadModel makes one.
class Model {
 public:
  virtual ~Model() = default;

  virtual const ModelConfig& config() const = 0;
  // Bytes of the weights of this rank.
  virtual int64_t weight_bytes() const = 0;
  // Bytes of K and V of one token over all layers, of this rank.
  virtual int64_t bytes_per_slot() const = 0;
  // Block sizes must be a multiple of this many slots.
  virtual int block_size_multiple() const = 0;
  // A step of so many rows takes about as long as a step of one.
  virtual int num_cheap_rows() const = 0;

  // Drops the cache, if any, and makes one of num_blocks blocks of block_size
  // slots, whose pages become resident as they are written; also the buffers
  // for steps of at most max_rows rows. RESOURCE_EXHAUSTED names the bytes
  // asked for.
  virtual absl::Status AllocateKvCache(int block_size, int num_blocks,
                                       int max_rows) = 0;
  // Makes so many bytes of the cache, or all of it, resident now: those of the
  // first blocks.
  virtual void MakeCacheResident(int64_t num_bytes) = 0;

  // Makes `num_host_blocks` host blocks, as large as the cache's, whose pages
  // become resident as they are written. REQUIRES: a cache. They live as long
  // as it does. RESOURCE_EXHAUSTED as above.
  virtual absl::Status AllocateHostBlocks(int num_host_blocks) = 0;

  // Executed before Forward of the same step, in this order. REQUIRES: within a
  // call no block and no host block twice, and no order matters.
  virtual void SwapOut(std::span<const BlockSwap> swaps) = 0;
  virtual void SwapIn(std::span<const BlockSwap> swaps) = 0;
  virtual void CopyBlocks(std::span<const BlockCopy> copies) = 0;

  // Computes all rows: writes their K and V, and keeps the final hidden states
  // of logit_rows for ComputeLogits. REQUIRES: 1 <= num_rows <= max_rows;
  // blocks, tokens and positions in range; within a run slots ascend by one,
  // and those before its first are written. Errors are the communicator's.
  virtual absl::Status Forward(const Batch& batch) = 0;

  // Logits of batch.logit_rows[first .. first + count) of the last Forward.
  // logits: [count, logits_stride()]; on rank 0 a row begins with the whole
  // vocabulary's, on others it is scratch. Each row's bits are the same however
  // the calls are cut. Errors are the communicator's.
  virtual absl::Status ComputeLogits(int first, int count, float* logits) = 0;
  virtual int64_t logits_stride() const = 0;
};

}  // namespace quire

#endif  // QUIRE_WORKER_MODEL_MODEL_H_
