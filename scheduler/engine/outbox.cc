#include "scheduler/engine/outbox.h"

#include <utility>

namespace quire {

void Outbox::Append(const std::shared_ptr<Mailbox>& mailbox,
                    SequenceDelta&& delta) {
  deliveries_.push_back({mailbox, std::move(delta)});
}

void Outbox::Close(std::shared_ptr<Mailbox> mailbox, absl::Status status,
                   RequestUsage usage) {
  deliveries_.push_back(
      {std::move(mailbox), Closing{std::move(status), usage}});
}

bool Outbox::Publish() {
  if (deliveries_.empty()) return false;
  for (Delivery& delivery : deliveries_) {
    if (auto* delta = std::get_if<SequenceDelta>(&delivery.content)) {
      delivery.mailbox->Append(std::move(*delta));
    } else {
      Closing& closing = std::get<Closing>(delivery.content);
      delivery.mailbox->Close(std::move(closing.status), closing.usage);
    }
  }
  deliveries_.clear();
  return true;
}

}  // namespace quire
