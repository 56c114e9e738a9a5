#ifndef QUIRE_SCHEDULER_FRONTEND_REQUEST_BUILDER_H_
#define QUIRE_SCHEDULER_FRONTEND_REQUEST_BUILDER_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "quire/v1/quire.pb.h"
#include "scheduler/engine/generation_request.h"
#include "scheduler/frontend/model_limits.h"
#include "scheduler/frontend/prompt_encoder.h"

namespace quire {

// Turns a client's request into the engine's: Resolve, then Encode. Immutable,
// thread-safe; owns nothing.
class RequestBuilder {
 public:
  RequestBuilder(const Tokenizer* tokenizer, const PromptEncoder* encoder,
                 const ModelLimits* limits);

  // The quick part, before anything is tokenized. INVALID_ARGUMENT names a
  // field; UNIMPLEMENTED: a chat that no template renders.
  absl::StatusOr<GenerationRequest> Resolve(const v1::GenerateRequest& request,
                                            uint64_t random_seed) const;

  // Bytes of text that Encode has to tokenize: a measure of its time.
  static size_t NumTextBytes(const v1::GenerateRequest& request);

  // The long part. Afterwards all of `resolved` is there but id, deadline and
  // mailbox, which are the caller's. REQUIRES: `resolved` comes from
  // Resolve(request).
  absl::Status Encode(const v1::GenerateRequest& request,
                      GenerationRequest* resolved) const;

 private:
  absl::StatusOr<std::vector<Token>> EncodePrompt(
      const v1::GenerateRequest& request) const;

  const Tokenizer* const tokenizer_;
  const PromptEncoder* const encoder_;
  const ModelLimits* const limits_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_REQUEST_BUILDER_H_
