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
  if (Add(std::move(delta))) Notify();
}

void Mailbox::Close(absl::Status status, RequestUsage usage) {
  if (AddEnd(std::move(status), usage)) Notify();
}

bool Mailbox::Add(SequenceDelta delta) {
  absl::MutexLock lock(&mutex_);
  const bool was_empty = pending_.empty();
  const auto same = std::find_if(
      pending_.deltas.begin(), pending_.deltas.end(),
      [&](const SequenceDelta& d) { return d.sequence == delta.sequence; });
  if (same == pending_.deltas.end()) {
    pending_.deltas.push_back(std::move(delta));
  } else {
    Merge(std::move(delta), *same);
  }
  return was_empty;
}

bool Mailbox::AddEnd(absl::Status status, RequestUsage usage) {
  absl::MutexLock lock(&mutex_);
  const bool was_empty = pending_.empty();
  pending_.closed = true;
  pending_.status = std::move(status);
  pending_.usage = usage;
  return was_empty;
}

Mailbox::Contents Mailbox::TakeAll() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(pending_, Contents());
}

}  // namespace quire
