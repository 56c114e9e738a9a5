#ifndef QUIRE_TESTS_TESTING_PLAN_WRITER_H_
#define QUIRE_TESTS_TESTING_PLAN_WRITER_H_

#include <cstdint>
#include <vector>

#include "common/ids.h"
#include "quire/worker/v1/plan.pb.h"

namespace quire::testing {

// Greedy, with everything else switched off.
worker::v1::Sampling GreedySampling();

// A sequence whose tokens are all prompt, sampled greedily.
worker::v1::NewSequence NewSequenceOf(uint64_t id,
                                      const std::vector<Token>& tokens,
                                      const std::vector<uint32_t>& blocks);

// One run, as PlanWriter takes it: by name.
struct RunOf {
  uint64_t sequence = 0;
  uint32_t slot = 0;  // And position.
  uint32_t num_rows = 1;
  bool samples = false;
  bool prompt_logprobs = false;
  std::vector<Token> drafts;  // Behind num_rows.
};

// One fork, as PlanWriter takes it: by name.
struct ForkOf {
  uint64_t parent = 0;
  uint64_t child = 0;
  uint32_t num_tokens = 0;
  std::vector<Token> tokens;
  uint64_t seed = 0;
};

// Writes a plan verb by verb.
class PlanWriter {
 public:
  explicit PlanWriter(uint64_t step_id, uint64_t epoch = 1);

  PlanWriter& Fork(const ForkOf& fork);
  PlanWriter& Release(uint64_t sequence);
  PlanWriter& Add(const worker::v1::NewSequence& sequence);
  PlanWriter& Edit(uint64_t sequence, uint32_t keep,
                   const std::vector<uint32_t>& appended);
  PlanWriter& SwapOut(uint32_t block, uint32_t host_block);
  PlanWriter& SwapIn(uint32_t host_block, uint32_t block);
  PlanWriter& Copy(uint32_t source, uint32_t destination, uint32_t num_slots);
  PlanWriter& Run(const RunOf& run);

  const worker::v1::StepPlan& plan() const { return plan_; }

 private:
  worker::v1::StepPlan plan_;
};

}  // namespace quire::testing

#endif  // QUIRE_TESTS_TESTING_PLAN_WRITER_H_
