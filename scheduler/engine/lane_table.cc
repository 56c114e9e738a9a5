#include "scheduler/engine/lane_table.h"

#include "common/check.h"

namespace quire {

void LaneTable::Add(Lane lane) {
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(entries_.size()));
    entries_.emplace_back();
  }
  const uint32_t index = free_.back();
  free_.pop_back();
  entries_[index] = {.id = lane.sequence->id(), .lane = lane};
  lane.sequence->set_lane(index);
}

void LaneTable::Remove(const Sequence& sequence) {
  Entry& entry = entries_[sequence.lane()];
  QUIRE_CHECK(entry.id == sequence.id());
  entry = Entry();
  free_.push_back(sequence.lane());
}

}  // namespace quire
