#ifndef QUIRE_SCHEDULER_ENGINE_LANE_TABLE_H_
#define QUIRE_SCHEDULER_ENGINE_LANE_TABLE_H_

#include <cstdint>
#include <vector>

#include "common/ids.h"
#include "common/prefetch.h"
#include "scheduler/engine/request_state.h"
#include "scheduler/engine/sequence.h"

namespace quire {

// A sequence that is open, and its request.
struct Lane {
  RequestState* request = nullptr;
  Sequence* sequence = nullptr;
};

// The lanes of all open sequences, each at an index that it keeps. A step names
// thousands of them in a row: that is a walk through memory here, and would be
// a search for each in a map of ids. Engine thread only.
class LaneTable {
 public:
  // Gives the sequence its index. It must be removed before it is gone.
  void Add(Lane lane);
  // REQUIRES: it was added.
  void Remove(const Sequence& sequence);

  // The lane of the sequence that was given `index`; empty: it is not open any
  // more.
  Lane Find(SequenceId sequence, uint32_t index) const {
    const Entry& entry = entries_[index];
    return entry.id == sequence ? entry.lane : Lane();
  }
  // See common/prefetch.
  void Prefetch(uint32_t index) const {
    const Lane& lane = entries_[index].lane;
    quire::Prefetch(lane.request);
    quire::Prefetch(lane.sequence);
  }

 private:
  struct Entry {
    SequenceId id;  // 0: the index is free.
    Lane lane;
  };

  std::vector<Entry> entries_;
  std::vector<uint32_t> free_;  // Indices.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_LANE_TABLE_H_
