#include "tests/testing/puppets/request_probe.h"

namespace quire {

RequestProbe& RequestProbe::Collect() {
  const Mailbox::Contents contents = mailbox_->TakeAll();
  for (const SequenceDelta& delta : contents.deltas) {
    tokens.insert(tokens.end(), delta.tokens.begin(), delta.tokens.end());
    std::vector<Token>& own = tokens_of[delta.sequence];
    own.insert(own.end(), delta.tokens.begin(), delta.tokens.end());
    if (delta.score.has_value()) scores[delta.sequence] = *delta.score;
    text += delta.text;
    logprobs.insert(logprobs.end(), delta.logprobs.begin(),
                    delta.logprobs.end());
    prompt_logprobs.insert(prompt_logprobs.end(), delta.prompt_logprobs.begin(),
                           delta.prompt_logprobs.end());
    if (delta.finish_reason != FinishReason::kNone) {
      finish_reason = delta.finish_reason;
      stop_reason = delta.stop_reason;
    }
  }
  if (contents.closed) {
    ++num_closings;
    status = contents.status;
    usage = contents.usage;
  }
  return *this;
}

}  // namespace quire
