#ifndef QUIRE_SCHEDULER_ENGINE_OUTBOX_H_
#define QUIRE_SCHEDULER_ENGINE_OUTBOX_H_

#include <memory>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "scheduler/engine/mailbox.h"

namespace quire {

// What a turn of the engine owes to mailboxes, until Publish delivers it: so
// writers are woken in one place, after the engine's state is settled. Engine
// thread only.
class Outbox {
 public:
  void Append(const std::shared_ptr<Mailbox>& mailbox, SequenceDelta&& delta);
  void Close(std::shared_ptr<Mailbox> mailbox, absl::Status status,
             RequestUsage usage);

  // Delivers everything in the order in which it came. False: there was
  // nothing.
  bool Publish();

 private:
  struct Closing {
    absl::Status status;
    RequestUsage usage;
  };
  struct Delivery {
    std::shared_ptr<Mailbox> mailbox;
    std::variant<SequenceDelta, Closing> content;
  };

  std::vector<Delivery> deliveries_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_OUTBOX_H_
