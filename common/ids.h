#ifndef QUIRE_COMMON_IDS_H_
#define QUIRE_COMMON_IDS_H_

#include <compare>
#include <cstdint>
#include <functional>
#include <ostream>

namespace quire {

// A number that names one kind of thing and does not turn into another.
// Explicit in, value() out.
template <typename Tag, typename Rep>
class Id {
 public:
  using ValueType = Rep;

  constexpr Id() = default;
  constexpr explicit Id(Rep value) : value_(value) {}

  constexpr Rep value() const { return value_; }
  constexpr Id Next() const { return Id(value_ + 1); }

  friend constexpr auto operator<=>(Id, Id) = default;

  template <typename H>
  friend H AbslHashValue(H state, Id id) {
    return H::combine(std::move(state), id.value_);
  }
  friend std::ostream& operator<<(std::ostream& os, Id id) {
    return os << id.value_;
  }

 private:
  Rep value_ = 0;
};

// A block of the KV cache: the same id names the same block on every rank. 0 ..
// num_blocks - 1.
using BlockId = Id<struct BlockIdTag, uint32_t>;
// A block of host memory, to which blocks are swapped out: the same id names
// the same one on every rank. 0 .. num_host_blocks - 1.
using HostBlockId = Id<struct HostBlockIdTag, uint32_t>;
// A token stream with one block table. Never used for two different sequences.
using SequenceId = Id<struct SequenceIdTag, uint64_t>;
// What a client sent; unique within the life of a scheduler.
using RequestId = Id<struct RequestIdTag, uint64_t>;
// One iteration of a group; 1 for the first of an epoch.
using StepId = Id<struct StepIdTag, uint64_t>;
// One life of a group's communicator.
using Epoch = Id<struct EpochTag, uint64_t>;
// A worker process within its group.
using Rank = Id<struct RankTag, uint32_t>;

// An entry of the vocabulary.
using Token = int32_t;

}  // namespace quire

#endif  // QUIRE_COMMON_IDS_H_
