#ifndef QUIRE_TESTS_TESTING_GENERATE_CLIENT_H_
#define QUIRE_TESTS_TESTING_GENERATE_CLIENT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/ids.h"
#include "grpcpp/support/status.h"
#include "quire/v1/quire.grpc.pb.h"

namespace quire {

// A whole answer, put together from its stream.
struct Generated {
  grpc::Status status;
  std::string text;
  std::vector<Token> ids;
  std::vector<float> logprobs;  // Of `ids`, where asked for.
  std::vector<float>
      prompt_logprobs;  // Of prompt tokens 1, 2, ..., where asked for.
  quire::v1::FinishReason finish_reason = quire::v1::FINISH_REASON_UNSPECIFIED;
  std::string stop_reason;
  std::optional<double> score;  // Where sequences are ranked.
  quire::v1::Usage usage;
  int num_messages = 0;
};

// The same tokens and the same bits of every log-probability and score.
bool SameBits(const Generated& a, const Generated& b);

// A greedy request of `max_tokens`, end of sequence ignored, that reports all
// log-probabilities.
quire::v1::GenerateRequest GreedyRequest(const std::vector<Token>& prompt,
                                         uint32_t max_tokens);
// The same at temperature 1; without log-probabilities of the prompt, for which
// nothing would be read from the cache.
quire::v1::GenerateRequest SampledRequest(const std::vector<Token>& prompt,
                                          uint32_t max_tokens, uint64_t seed);

// Calls Generate and reads the stream to its end. `on_message` may look at
// each message as it comes.
Generated Generate(
    quire::v1::Quire::StubInterface& stub,
    const quire::v1::GenerateRequest& request,
    const std::function<void(const quire::v1::GenerateResponse&)>& on_message =
        nullptr);

// What each of the request's n sequences got, by index; status and usage are
// those of the call.
std::vector<Generated> GenerateSequences(
    quire::v1::Quire::StubInterface& stub,
    const quire::v1::GenerateRequest& request);

// All at once, one thread each; answers in the order of the requests.
std::vector<Generated> GenerateAll(
    quire::v1::Quire::StubInterface& stub,
    const std::vector<quire::v1::GenerateRequest>& requests);

}  // namespace quire

#endif  // QUIRE_TESTS_TESTING_GENERATE_CLIENT_H_
