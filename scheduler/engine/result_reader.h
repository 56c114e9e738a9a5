#ifndef QUIRE_SCHEDULER_ENGINE_RESULT_READER_H_
#define QUIRE_SCHEDULER_ENGINE_RESULT_READER_H_

#include <cstdint>

#include "common/ids.h"
#include "quire/worker/v1/result.pb.h"
#include "scheduler/engine/mailbox.h"
#include "scheduler/engine/run.h"

namespace quire {

// How many of the sampled tokens from entry `first` on are `run`'s: one, and
// one for each right draft; 0 where it samples none.
uint32_t CountSampled(const Run& run, const worker::v1::SampledTokens& sampled,
                      int first);

// Reads the parallel arrays of a result entry by entry, in the order in which
// the runs of its step asked for them. REQUIRES: CheckResult found it OK, and
// no more is read than was asked for.
class ResultReader {
 public:
  // `result` must outlive the reader.
  explicit ResultReader(const worker::v1::StepResult& result)
      : result_(result) {}

  TokenScores NextSampled();
  // Of those that come next, how many are `run`'s.
  uint32_t NumSampled(const Run& run) const {
    return CountSampled(run, result_.sampled(), sampled_.entry);
  }
  // Of the next prompt token, which its sequence knows: `chosen.token` is left
  // to the caller.
  TokenScores NextPromptScores();
  // All that `run` asked for.
  void Skip(const Run& run);

 private:
  struct Cursor {
    int entry = 0;
    int alternative = 0;
  };
  template <typename Entries>
  static TokenScores Read(const Entries& entries, Cursor& cursor);

  const worker::v1::StepResult& result_;
  Cursor sampled_;
  Cursor scored_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_RESULT_READER_H_
