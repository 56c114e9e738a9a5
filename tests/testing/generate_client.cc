#include "tests/testing/generate_client.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <thread>

#include "grpcpp/client_context.h"

namespace quire {
namespace {

bool SameBits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() &&
         (a.empty() ||
          std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

void Append(const quire::v1::GenerateResponse& response, Generated* out) {
  ++out->num_messages;
  out->text += response.text();
  out->ids.insert(out->ids.end(), response.token_ids().begin(),
                  response.token_ids().end());
  for (const auto& scores : response.logprobs()) {
    out->logprobs.push_back(scores.logprob());
  }
  for (const auto& scores : response.prompt_logprobs()) {
    out->prompt_logprobs.push_back(scores.logprob());
  }
  if (response.finish_reason() != quire::v1::FINISH_REASON_UNSPECIFIED) {
    out->finish_reason = response.finish_reason();
    out->stop_reason = response.stop_reason();
  }
  if (response.has_score()) out->score = response.score();
  if (response.has_usage()) out->usage = response.usage();
}

}  // namespace

bool SameBits(const Generated& a, const Generated& b) {
  return a.ids == b.ids && SameBits(a.logprobs, b.logprobs) &&
         SameBits(a.prompt_logprobs, b.prompt_logprobs) && a.score == b.score;
}

quire::v1::GenerateRequest GreedyRequest(const std::vector<Token>& prompt,
                                         uint32_t max_tokens) {
  quire::v1::GenerateRequest request;
  request.mutable_token_ids()->mutable_ids()->Add(prompt.begin(), prompt.end());
  request.mutable_sampling()->set_temperature(0);
  request.mutable_stopping()->set_max_tokens(max_tokens);
  request.mutable_stopping()->set_ignore_eos(true);
  request.mutable_output()->set_logprobs(0);
  request.mutable_output()->set_prompt_logprobs(0);
  return request;
}

quire::v1::GenerateRequest SampledRequest(const std::vector<Token>& prompt,
                                          uint32_t max_tokens, uint64_t seed) {
  quire::v1::GenerateRequest request = GreedyRequest(prompt, max_tokens);
  request.mutable_output()->clear_prompt_logprobs();
  request.mutable_sampling()->set_temperature(1);
  request.mutable_sampling()->set_seed(seed);
  return request;
}

Generated Generate(
    quire::v1::Quire::StubInterface& stub,
    const quire::v1::GenerateRequest& request,
    const std::function<void(const quire::v1::GenerateResponse&)>& on_message) {
  grpc::ClientContext context;
  Generated generated;
  auto reader = stub.Generate(&context, request);
  quire::v1::GenerateResponse response;
  while (reader->Read(&response)) {
    Append(response, &generated);
    if (on_message) on_message(response);
  }
  generated.status = reader->Finish();
  return generated;
}

std::vector<Generated> GenerateSequences(
    quire::v1::Quire::StubInterface& stub,
    const quire::v1::GenerateRequest& request) {
  std::vector<Generated> sequences(std::max(1u, request.n()));
  const Generated whole =
      Generate(stub, request, [&](const quire::v1::GenerateResponse& response) {
        Append(response, &sequences.at(response.sequence()));
      });
  for (Generated& sequence : sequences) {
    sequence.status = whole.status;
    sequence.usage = whole.usage;
  }
  return sequences;
}

std::vector<Generated> GenerateAll(
    quire::v1::Quire::StubInterface& stub,
    const std::vector<quire::v1::GenerateRequest>& requests) {
  std::vector<Generated> answers(requests.size());
  std::vector<std::thread> threads;
  threads.reserve(requests.size());
  for (size_t i = 0; i < requests.size(); ++i) {
    threads.emplace_back([&, i] { answers[i] = Generate(stub, requests[i]); });
  }
  for (std::thread& thread : threads) thread.join();
  return answers;
}

}  // namespace quire
