#include "scheduler/engine/lane_table.h"

#include <memory>
#include <vector>

#include "gtest/gtest.h"

namespace quire {
namespace {

std::unique_ptr<Sequence> MakeSequence(uint64_t id) {
  return std::make_unique<Sequence>(SequenceId(id), /*index=*/0,
                                    std::vector<Token>{1}, /*max_tokens=*/1);
}

TEST(LaneTableTest, FindsWhatWasAdded) {
  LaneTable lanes;
  const auto a = MakeSequence(1);
  const auto b = MakeSequence(2);
  lanes.Add({nullptr, a.get()});
  lanes.Add({nullptr, b.get()});
  EXPECT_EQ(lanes.Find(a->id(), a->lane()).sequence, a.get());
  EXPECT_EQ(lanes.Find(b->id(), b->lane()).sequence, b.get());
}

TEST(LaneTableTest, WhatWasRemovedIsNotFound) {
  LaneTable lanes;
  const auto a = MakeSequence(1);
  lanes.Add({nullptr, a.get()});
  lanes.Remove(*a);
  EXPECT_EQ(lanes.Find(a->id(), a->lane()).sequence, nullptr);
  lanes.Prefetch(a->lane());
}

TEST(LaneTableTest, AnIndexIsUsedAgainAndTellsItsSequencesApart) {
  LaneTable lanes;
  const auto a = MakeSequence(1);
  const auto b = MakeSequence(2);
  lanes.Add({nullptr, a.get()});
  lanes.Remove(*a);
  lanes.Add({nullptr, b.get()});
  EXPECT_EQ(a->lane(), b->lane());
  EXPECT_EQ(lanes.Find(a->id(), a->lane()).sequence, nullptr);
  EXPECT_EQ(lanes.Find(b->id(), b->lane()).sequence, b.get());
}

}  // namespace
}  // namespace quire
