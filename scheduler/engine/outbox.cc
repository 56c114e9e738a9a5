#include "scheduler/engine/outbox.h"

#include <utility>

namespace quire {

SequenceDelta& Outbox::DeltaOf(Mailbox* mailbox, uint32_t sequence) {
  if (!deliveries_.empty()) {
    Delivery& last = deliveries_.back();
    if (last.mailbox == mailbox && last.delta.sequence == sequence) {
      return last.delta;
    }
  }
  Delivery& added = deliveries_.emplace_back();
  added.mailbox = mailbox;
  added.delta.sequence = sequence;
  return added.delta;
}

void Outbox::Close(std::shared_ptr<Mailbox> mailbox, absl::Status status,
                   RequestUsage usage) {
  closings_.push_back({std::move(mailbox), std::move(status), usage});
}

bool Outbox::Publish() {
  if (deliveries_.empty() && closings_.empty()) return false;
  for (Delivery& delivery : deliveries_) {
    if (delivery.mailbox->Add(std::move(delivery.delta))) {
      to_notify_.push_back(delivery.mailbox);
    }
  }
  deliveries_.clear();
  for (Closing& closing : closings_) {
    if (closing.mailbox->AddEnd(std::move(closing.status), closing.usage)) {
      to_notify_.push_back(closing.mailbox.get());
    }
  }
  for (Mailbox* const mailbox : to_notify_) mailbox->Notify();
  to_notify_.clear();
  closings_.clear();  // Lets go of mailboxes.
  return true;
}

}  // namespace quire
