#ifndef QUIRE_WORKER_LINK_ATTACH_ENDING_H_
#define QUIRE_WORKER_LINK_ATTACH_ENDING_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace quire {

// How an attempt to serve a scheduler ended.
struct AttachEnding {
  absl::Status status;
  bool was_attached = false;
  // This worker ended it. Otherwise the scheduler or the network did.
  bool is_own = false;
};

// Whether trying again is of no use until somebody changes something.
bool IsRefusal(const AttachEnding& ending);

// For the log: who ended it, and why. deploy/local/up looks for "refused by",
// "this worker left" and "lost", each before "the scheduler".
std::string DescribeEnding(const AttachEnding& ending,
                           std::string_view address);

}  // namespace quire

#endif  // QUIRE_WORKER_LINK_ATTACH_ENDING_H_
