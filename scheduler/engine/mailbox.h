#ifndef QUIRE_SCHEDULER_ENGINE_MAILBOX_H_
#define QUIRE_SCHEDULER_ENGINE_MAILBOX_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "common/ids.h"

namespace quire {

struct ScoredToken {
  Token token = 0;
  float logprob = 0;
};

// A token, its log-probability and the best tokens at its place, best first.
struct TokenScores {
  ScoredToken chosen;
  std::vector<ScoredToken> top;
};

enum class FinishReason { kNone, kStop, kLength };

// What is new of one sequence since the writer last looked.
struct SequenceDelta {
  uint32_t sequence = 0;  // Index within the request.
  std::string text;
  absl::InlinedVector<Token, 4> tokens;
  std::vector<TokenScores>
      logprobs;  // One for each of `tokens`, where asked for.
  std::vector<TokenScores>
      prompt_logprobs;  // Of prompt tokens 1, 2, ... in order, where asked for.
  FinishReason finish_reason = FinishReason::kNone;
  // With finish_reason, of sequences that are ranked: the higher, the better.
  std::optional<double> score;
  std::string stop_reason;  // The stop string, or the decimal id of the token
                            // that ended the sequence.
};

struct RequestUsage {
  uint32_t prompt_tokens = 0;
  uint32_t cached_prompt_tokens = 0;
  uint32_t generated_tokens = 0;
};

// The one slot between the engine, which appends, and a request's stream
// writer, which takes all that is pending: a slow client grows its own mailbox
// and nothing else. Thread-safe.
class Mailbox {
 public:
  // `notify` is called, by the engine thread and outside the lock, when
  // something becomes pending where nothing was. It must not block.
  explicit Mailbox(std::function<void()> notify) : notify_(std::move(notify)) {}

  // Engine side. Appends to what is pending of the sequence.
  void Append(SequenceDelta delta);
  // Nothing follows. Not OK: the request failed, was refused or cancelled.
  void Close(absl::Status status, RequestUsage usage);

  // The same without the notice. True: it is due, and Notify follows when all
  // is there that can go in one message.
  [[nodiscard]] bool Add(SequenceDelta delta);
  [[nodiscard]] bool AddEnd(absl::Status status, RequestUsage usage);
  void Notify() { notify_(); }

  struct Contents {
    absl::InlinedVector<SequenceDelta, 1> deltas;  // At most one a sequence.
    bool closed = false;
    absl::Status status;  // Where closed.
    RequestUsage usage;   // Where closed.
    bool empty() const { return deltas.empty() && !closed; }
  };
  // Writer side.
  Contents TakeAll();

 private:
  const std::function<void()> notify_;
  absl::Mutex mutex_;
  Contents pending_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_MAILBOX_H_
