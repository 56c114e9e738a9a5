#ifndef QUIRE_SCHEDULER_ENGINE_PREFIX_SHARING_H_
#define QUIRE_SCHEDULER_ENGINE_PREFIX_SHARING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "common/ids.h"
#include "scheduler/engine/group.h"
#include "scheduler/engine/request_queue.h"
#include "scheduler/engine/request_state.h"
#include "scheduler/engine/sequence.h"

namespace quire {

// How a request comes to blocks that others compute: it finds those that are
// written, and waits for those that a running request is about to write.
// Whoever waits holds nothing; where its writer leaves, it goes on by itself.
// Engine thread only.

// The written blocks of `group` that begin the request's tokens; none where it
// reads none. The last known token is always left to compute: its row is what
// samples. Of a swapped request, those within what was swapped. Of the blocks
// nothing is held. REQUIRES: `request` waits.
std::vector<BlockId> FindPrefix(const RequestState& request, Group& group);

// The running requests that are about to write more of their prompts, which
// others may read. By the tokens of the first block, so that a request is held
// against those alone that begin like it: thousands may arrive together.
class PrefixWriters {
 public:
  PrefixWriters(std::span<RequestState* const> running, uint32_t block_size);

  // One that has begun to run.
  void Add(RequestState* request);

  // The sequence among those that lead a writer for whose blocks `request`
  // should wait, beyond the `num_found` slots of its prefix that are found.
  // num_slots is 0 where there is none; a swapped request has its own.
  // REQUIRES: `request` waits.
  PrefixToCome FindFor(const RequestState& request, uint32_t num_found) const;

 private:
  // Null: it has not one full block that it may share.
  std::optional<size_t> KeyOf(const RequestState& request) const;

  const uint32_t block_size_;
  absl::flat_hash_map<size_t, std::vector<RequestState*>> by_first_block_;
};

// Whether it is still to come. `writer`: the sequence that it names; null: it
// is not open any more.
bool IsBeingWritten(const PrefixToCome& prefix, const Sequence* writer);

// Rows that have to be computed for `request` and for nobody else: those of its
// tokens behind what is found in `group` and behind what begins a prompt that
// waits or is being written. So the sum over requests counts no row twice, and
// none that is there already. REQUIRES: it is in neither list.
uint32_t CountOwnRows(const RequestState& request,
                      std::span<RequestState* const> running,
                      const RequestQueue& waiting, Group& group);

// Makes what `sequence` of `request` has filled since the last call findable in
// `group`, where the request lets others read. REQUIRES: the sequence holds
// blocks of the group.
void PublishPrefix(const RequestState& request, Sequence& sequence,
                   Group& group);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_PREFIX_SHARING_H_
