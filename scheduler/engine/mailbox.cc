#include "scheduler/engine/mailbox.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace quire {
namespace {

template <typename List>
void MoveToEnd(List& from, List& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()),
            std::make_move_iterator(from.end()));
}

// `pending` becomes what one delta with both contents would have been.
void Merge(SequenceDelta delta, SequenceDelta& pending) {
  pending.text += delta.text;
  MoveToEnd(delta.tokens, pending.tokens);
  MoveToEnd(delta.logprobs, pending.logprobs);
  MoveToEnd(delta.prompt_logprobs, pending.prompt_logprobs);
  if (delta.finish_reason == FinishReason::kNone) return;
  pending.finish_reason = delta.finish_reason;
  pending.score = delta.score;
  pending.stop_reason = std::move(delta.stop_reason);
}

}  // namespace

void Mailbox::Append(SequenceDelta delta) {
  bool was_empty;
  {
    absl::MutexLock lock(&mutex_);
    was_empty = pending_.empty();
    const auto same = std::find_if(
        pending_.deltas.begin(), pending_.deltas.end(),
        [&](const SequenceDelta& d) { return d.sequence == delta.sequence; });
    if (same == pending_.deltas.end()) {
      pending_.deltas.push_back(std::move(delta));
    } else {
      Merge(std::move(delta), *same);
    }
  }
  if (was_empty) notify_();
}

void Mailbox::Close(absl::Status status, RequestUsage usage) {
  bool was_empty;
  {
    absl::MutexLock lock(&mutex_);
    was_empty = pending_.empty();
    pending_.closed = true;
    pending_.status = std::move(status);
    pending_.usage = usage;
  }
  if (was_empty) notify_();
}

Mailbox::Contents Mailbox::TakeAll() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(pending_, Contents());
}

}  // namespace quire
