#ifndef QUIRE_SCHEDULER_ENGINE_OUTBOX_H_
#define QUIRE_SCHEDULER_ENGINE_OUTBOX_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "scheduler/engine/mailbox.h"

namespace quire {

// What a turn of the engine owes to mailboxes, until Publish delivers it: so
// writers are woken in one place, after the engine's state is settled. Engine
// thread only.
class Outbox {
 public:
  // What the mailbox is owed of a sequence, to be added to until the next call.
  // `mailbox` must live until it is delivered, or be closed here.
  SequenceDelta& DeltaOf(Mailbox* mailbox, uint32_t sequence);
  // Nothing follows for the mailbox.
  void Close(std::shared_ptr<Mailbox> mailbox, absl::Status status,
             RequestUsage usage);

  // Delivers everything, to each mailbox in the order in which it came, and
  // then has writers look. False: there was nothing.
  bool Publish();

 private:
  struct Delivery {
    Mailbox* mailbox = nullptr;
    SequenceDelta delta;
  };
  struct Closing {
    std::shared_ptr<Mailbox> mailbox;
    absl::Status status;
    RequestUsage usage;
  };

  std::vector<Delivery> deliveries_;
  std::vector<Closing> closings_;
  std::vector<Mailbox*> to_notify_;  // Of Publish; kept for its memory.
};

// What one request's client is to get: a mailbox's part of an outbox.
class ClientOutput {
 public:
  // Both must outlive it.
  ClientOutput(Outbox* outbox, Mailbox* mailbox)
      : outbox_(outbox), mailbox_(mailbox) {}

  // See Outbox.
  SequenceDelta& DeltaOf(uint32_t sequence) const {
    return outbox_->DeltaOf(mailbox_, sequence);
  }

 private:
  Outbox* outbox_;
  Mailbox* mailbox_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_OUTBOX_H_
