#include "tests/scheduler/engine/ask.h"

#include <algorithm>
#include <utility>

#include "tests/testing/puppets/puppet_model.h"

namespace quire {

GenerationRequest MakeRequest(RequestId id, Ask ask,
                              std::shared_ptr<Mailbox> mailbox) {
  GenerationRequest request;
  request.id = id;
  request.prompt = std::move(ask.prompt);
  request.sampling.set_min_tokens(ask.min_tokens);
  request.sampling.set_repetition_penalty(ask.repetition_penalty);
  request.sampling.set_top_logprobs(1);  // What puppets report.
  request.max_tokens = ask.max_tokens;
  request.least_tokens = ask.least_tokens;
  request.stop_tokens = std::move(ask.stops);
  request.reports_logprobs = ask.logprobs;
  request.reports_prompt_logprobs = ask.prompt_logprobs;
  request.priority = ask.priority;
  request.deadline = ask.deadline;
  if (ask.filter != nullptr) request.filters.push_back(std::move(ask.filter));
  request.num_sequences = std::max(ask.n, ask.best_of);
  request.num_returned = ask.n;
  if (ask.beam_width > 0) {
    request.num_sequences = ask.beam_width;
    request.beams = {.length_penalty = ask.length_penalty,
                     .early_stopping = ask.early_stopping};
    const auto num_stops = static_cast<uint32_t>(request.stop_tokens.size());
    request.sampling.set_top_logprobs(
        CandidatesPerBeam(ask.beam_width, num_stops));
  }
  request.cache_salt = std::move(ask.cache_salt);
  request.uses_prefix_cache = !ask.cache_bypass;
  request.mailbox = std::move(mailbox);
  return request;
}

std::vector<std::vector<Token>> AnswerAlone(const Ask& ask) {
  std::vector<std::vector<Token>> answers;
  if (ask.beam_width > 0) {
    const auto hypotheses = SearchAlone(
        ask.prompt,
        {.width = ask.beam_width,
         .length_penalty = ask.length_penalty,
         .ends_when_full = ask.early_stopping == EarlyStopping::kTrue,
         .looks_ahead = ask.early_stopping == EarlyStopping::kNever,
         .max_tokens = ask.max_tokens,
         .min_tokens = ask.min_tokens,
         .stops = ask.stops});
    for (uint32_t i = 0; i < ask.n; ++i) {
      answers.push_back(hypotheses[i].tokens);
    }
    return answers;
  }
  for (uint32_t i = 0; i < ask.n; ++i) {
    answers.push_back(GenerateAlone(ask.prompt, ask.max_tokens, ask.stops,
                                    ask.min_tokens, /*seed=*/i));
  }
  return answers;
}

std::vector<Token> MakePrompt(uint64_t seed, uint32_t length) {
  std::vector<Token> prompt;
  uint64_t state = ExtendPrefix(kNoPrefix, static_cast<Token>(seed));
  for (uint32_t i = 0; i < length; ++i) {
    prompt.push_back(PuppetToken(state));
    state = ExtendPrefix(state, 1);
  }
  return prompt;
}

}  // namespace quire
