#ifndef QUIRE_TESTS_TESTING_PUPPETS_PUPPET_RANK_H_
#define QUIRE_TESTS_TESTING_PUPPETS_PUPPET_RANK_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/ids.h"
#include "quire/worker/v1/plan.pb.h"
#include "quire/worker/v1/result.pb.h"
#include "scheduler/engine/group_link.h"

namespace quire {

// A worker without a machine: executes plans to the letter on a model of its
// slots. A slot holds what K and V of a real one depend on, the tokens up to
// its position; a row reads every slot before it and finds out whether these
// are its own sequence's. What breaks the contract of the plan, or reads a slot
// of somebody else, is kept as a violation. A row and a swapped block take it a
// microsecond each. Not thread-safe.
class PuppetRank {
 public:
  PuppetRank(const GroupShape& shape, Rank rank);

  // Rank 0 reports tokens and scores.
  worker::v1::StepResult Execute(const worker::v1::StepPlan& plan);

  const std::vector<std::string>& violations() const { return violations_; }
  // Blocks that were copied.
  uint32_t num_copies() const { return num_copies_; }
  // Blocks that were swapped, both ways.
  uint32_t num_swaps() const { return num_swaps_; }
  // Sequences that the rank holds.
  size_t num_sequences() const { return sequences_.size(); }

 private:
  struct HeldSequence {
    std::vector<Token> tokens;
    std::vector<uint64_t> prefixes;  // [tokens]: with the token itself.
    uint32_t prompt_length = 0;
    uint64_t seed = 0;
    uint32_t num_top = 0;
    std::vector<uint32_t> blocks;

    void Append(Token token);
    void Truncate(size_t num_tokens);
  };

  void CheckName(const worker::v1::StepPlan& plan);
  void Add(const worker::v1::NewSequence& added);
  void Fork(const worker::v1::Fork& fork);
  void SwapOut(const worker::v1::Swaps& swaps);
  void SwapIn(const worker::v1::Swaps& swaps);
  // Of one direction.
  void CheckSwaps(const google::protobuf::RepeatedField<uint32_t>& blocks,
                  const google::protobuf::RepeatedField<uint32_t>& host_blocks);
  void Copy(const worker::v1::BlockCopies& copies);
  void Edit(const worker::v1::TableEdits& edits);
  void Compute(const worker::v1::Runs& runs, worker::v1::StepResult& result);
  void ComputeRun(const worker::v1::Runs& runs, int index,
                  worker::v1::StepResult& result);
  void ComputeRow(const HeldSequence& sequence, uint32_t position);
  // The token behind the first `num_tokens`.
  Token Sample(uint64_t id, const HeldSequence& sequence, size_t num_tokens,
               worker::v1::StepResult& result) const;
  HeldSequence* Held(uint64_t id);
  uint64_t* Slot(const HeldSequence& sequence, uint32_t slot);
  bool Expect(bool condition, const std::string& what);

  const GroupShape shape_;
  const Rank rank_;
  uint64_t step_ = 0;
  std::map<uint64_t, HeldSequence> sequences_;
  std::vector<uint64_t> slots_;  // [num_blocks * block_size]: prefixes.
  std::map<uint32_t, std::vector<uint64_t>> host_blocks_;  // Their slots.
  uint32_t num_copies_ = 0;
  uint32_t num_swaps_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace quire

#endif  // QUIRE_TESTS_TESTING_PUPPETS_PUPPET_RANK_H_
