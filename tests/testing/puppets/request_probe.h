#ifndef QUIRE_TESTS_TESTING_PUPPETS_REQUEST_PROBE_H_
#define QUIRE_TESTS_TESTING_PUPPETS_REQUEST_PROBE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/ids.h"
#include "scheduler/engine/mailbox.h"

namespace quire {

// A client of one request: everything that its mailbox has delivered so far.
// Not thread-safe, but the mailbox is.
class RequestProbe {
 public:
  RequestProbe() : mailbox_(std::make_shared<Mailbox>([] {})) {}

  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }

  // Takes what is pending; what follows tells of all that was ever taken.
  RequestProbe& Collect();

  std::vector<Token> tokens;  // Of all sequences, as they came.
  std::map<uint32_t, std::vector<Token>> tokens_of;  // By sequence.
  std::map<uint32_t, double> scores;                 // By sequence.
  std::string text;
  std::vector<TokenScores> logprobs;
  std::vector<TokenScores> prompt_logprobs;
  FinishReason finish_reason = FinishReason::kNone;
  std::string stop_reason;
  int num_closings = 0;
  absl::Status status;
  RequestUsage usage;

 private:
  std::shared_ptr<Mailbox> mailbox_;
};

}  // namespace quire

#endif  // QUIRE_TESTS_TESTING_PUPPETS_REQUEST_PROBE_H_
