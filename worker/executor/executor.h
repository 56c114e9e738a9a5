#ifndef QUIRE_WORKER_EXECUTOR_EXECUTOR_H_
#define QUIRE_WORKER_EXECUTOR_EXECUTOR_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/ids.h"
#include "quire/worker/v1/plan.pb.h"
#include "quire/worker/v1/result.pb.h"
#include "worker/comm/communicator.h"
#include "worker/executor/batch_builder.h"
#include "worker/executor/copy_reader.h"
#include "worker/executor/logit_row.h"
#include "worker/executor/row_scorer.h"
#include "worker/executor/sequence_store.h"
#include "worker/executor/swap_reader.h"
#include "worker/executor/thread_pool.h"
#include "worker/executor/written_slots.h"
#include "worker/model/model.h"

namespace quire {

// A cache has at most this many slots: slots are 32-bit numbers.
inline constexpr int64_t kMaxCacheSlots = 0x7fffffff;

struct ExecutorOptions {
  // What was offered to the scheduler: a Welcome that asks for more is refused.
  int64_t kv_cache_bytes = 0;
  int64_t host_kv_bytes = 0;
  int64_t resident_kv_bytes = 0;  // Of the cache, from the start.
  int max_step_rows = 0;          // 0 = no limit.
  // Rows whose logits are held at once. Bounds the buffer: log-probabilities of
  // a long prompt over a large vocabulary would fill gigabytes. Fewer rows mean
  // that the output matrix is read more often.
  int logit_rows_at_once = 64;
  // Compares in every step what the ranks are about to compute and what they
  // have sampled, block tables included. For tests: it costs a collective.
  bool checks_agreement = false;
};

// What the scheduler's Welcome lays down for an epoch.
struct EpochSetup {
  Epoch epoch;
  uint32_t block_size = 0;  // Slots.
  uint32_t num_blocks = 0;
  uint32_t max_step_rows = 0;
  uint32_t num_host_blocks = 0;
  std::string rendezvous;  // Where rank 0 is found; empty: it is alone.
};

// Executes the plans of one epoch after the other on one rank: applies the
// difference, runs the model, chooses tokens and keeps them. Decides nothing.
// Not thread-safe.
//
//   idle --Begin--> ready --Execute refuses or fails--> broken
//     any state --Begin--> ready, or idle where it fails
//     any state --End--> idle
//
// Only a ready executor executes. Nothing of an epoch survives the next Begin.
class Executor {
 public:
  // All pointers must outlive the executor.
  Executor(Model* model, ThreadPool* pool, Communicator* communicator,
           const Clock* clock, const ExecutorOptions& options);

  // Forgets all sequences, meets the other ranks, and allocates cache and host
  // blocks anew. INVALID_ARGUMENT: a shape that this rank did not offer;
  // UNAVAILABLE, DEADLINE_EXCEEDED: the others did not come;
  // RESOURCE_EXHAUSTED: no memory, and which flag lets it ask for as much.
  absl::Status Begin(const EpochSetup& setup);

  // Forgets the epoch and its sequences, and lets go of the other ranks.
  void End();

  // Fills *result but for its status, which is the caller's.
  // FAILED_PRECONDITION: another epoch, a gap in step ids, or not ready.
  // INVALID_ARGUMENT: a plan that makes no sense. INTERNAL: rank 0 sent what is
  // no token, or has another batch. UNAVAILABLE, DEADLINE_EXCEEDED: another
  // rank is gone or does not come. Never crashes on what a plan says. A
  // sequence whose logits are no distribution fails by itself: the result names
  // it.
  absl::Status Execute(const worker::v1::StepPlan& plan,
                       worker::v1::StepResult* result);

 private:
  // What an epoch needs, sized by its Welcome.
  struct Session {
    Epoch epoch;
    StepId last_step;
    SequenceStore store;
    WrittenSlots written;
    SwapReader swaps;
    CopyReader copies;
    BatchBuilder builder;
  };
  // Ends a stretch of time and returns its length in nanoseconds.
  class Stopwatch;

  absl::Status CheckShape(const EpochSetup& setup) const;
  absl::Status AllocateMemory(const EpochSetup& setup);
  absl::Status CheckOrder(const worker::v1::StepPlan& plan) const;
  absl::Status Run(const worker::v1::StepPlan& plan,
                   worker::v1::StepResult* result);
  absl::Status Prepare(const worker::v1::StepPlan& plan);
  void MoveBlocks();
  absl::Status Compute();
  // Logits and tokens of all logit rows, some rows at a time.
  absl::Status ScoreRows(Stopwatch* stopwatch, worker::v1::StepResult* result);
  // `check`: of all rows of the step.
  void Report(std::span<const LogitRow> rows, DraftCheck& check,
              worker::v1::StepResult* result);
  // Ranks agree on the sampled tokens and keep them.
  absl::Status KeepSampled();
  absl::Status CheckAgreement();

  Model* const model_;
  Communicator* const communicator_;
  const Clock* const clock_;
  const ExecutorOptions options_;
  RowScorer scorer_;
  std::unique_ptr<Session> session_;  // Null: idle.
  bool is_broken_ = false;
  std::vector<float> logits_;   // [logit_rows_at_once, logits_stride]
  std::vector<Token> sampled_;  // In the order of runs, of drafts too.
};

}  // namespace quire

#endif  // QUIRE_WORKER_EXECUTOR_EXECUTOR_H_
