#include "scheduler/engine/scheduler_view.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "scheduler/memory/capacity.h"

namespace quire {
namespace {

RequestSnapshot Describe(const RequestState& request, absl::Time now) {
  return {.id = request.id(),
          .name = request.name(),
          .running = request.running(),
          .priority = request.priority(),
          .prompt_tokens = request.prompt_length(),
          .generated_tokens = request.num_generated(),
          .num_sequences = request.num_sequences(),
          .num_blocks = request.num_blocks(),
          .num_preemptions = request.num_preemptions(),
          .age = now - request.arrived()};
}

// `holder`: the request. Of a block that several share the fullest view counts.
void DescribeTable(const Sequence& sequence, uint32_t block_size,
                   int32_t holder, std::vector<BlockSnapshot>& blocks) {
  uint32_t slots_left = sequence.committed();
  for (const BlockRef& block : sequence.table().blocks()) {
    const auto used = static_cast<uint16_t>(std::min(slots_left, block_size));
    slots_left -= used;
    BlockSnapshot& described = blocks[block.id().value()];
    described.state = BlockState::kActive;
    described.used_slots = std::max(described.used_slots, used);
    described.request = holder;
  }
}

// Running requests come first in a snapshot, so request i of running() is
// request i there.
std::vector<BlockSnapshot> DescribeBlocks(const Scheduler& scheduler) {
  if (scheduler.group() == nullptr) return {};
  const uint32_t block_size = scheduler.group()->shape().block_size;
  const BlockPool& pool = scheduler.group()->pool();
  std::vector<BlockSnapshot> blocks(pool.num_blocks());
  for (uint32_t i = 0; i < blocks.size(); ++i) {
    if (pool.is_cached(BlockId(i))) blocks[i].state = BlockState::kCached;
  }
  int32_t index = 0;
  for (const RequestState* request : scheduler.running()) {
    for (const auto& sequence : request->sequences()) {
      DescribeTable(*sequence, block_size, index, blocks);
    }
    ++index;
  }
  return blocks;
}

// Slots that hold tokens, each once. Full blocks are counted by the pool, which
// knows how often each is held; only the ends of sequences are looked at.
uint64_t CountUsedSlots(const Scheduler& scheduler) {
  const BlockPool& pool = scheduler.group()->pool();
  const uint32_t block_size = scheduler.group()->shape().block_size;
  // Of a shared block that is the last of several sequences: how many fill it
  // only in part, and how far.
  struct SharedEnd {
    uint32_t num_sequences = 0;
    uint32_t most_slots = 0;
  };
  absl::flat_hash_map<BlockId, SharedEnd> ends;
  uint64_t num_slots = 0;
  for (const RequestState* request : scheduler.running()) {
    for (const auto& sequence : request->sequences()) {
      num_slots +=
          BlocksForSlots(sequence->committed(), block_size) * block_size;
      const uint32_t num_used = sequence->committed() % block_size;
      if (num_used == 0) continue;
      const BlockId last =
          sequence->table().blocks()[sequence->committed() / block_size].id();
      if (pool.ref_count(last) == 1) {
        num_slots -= block_size - num_used;
        continue;
      }
      SharedEnd& end = ends[last];
      ++end.num_sequences;
      end.most_slots = std::max(end.most_slots, num_used);
    }
  }
  num_slots -= uint64_t{pool.num_saved()} * block_size;
  for (const auto& [block, end] : ends) {
    const bool is_full = end.num_sequences < pool.ref_count(block);
    if (!is_full) num_slots -= block_size - end.most_slots;
  }
  return num_slots;
}

double Ratio(uint64_t part, uint64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

uint64_t Count(const prometheus::Counter* counter) {
  return static_cast<uint64_t>(counter->Value());
}

}  // namespace

BlockCounts CountBlocks(const Scheduler& scheduler) {
  if (scheduler.group() == nullptr) return {};
  const BlockPool& pool = scheduler.group()->pool();
  const HostBlockPool& host_blocks = scheduler.group()->host_blocks();
  const GroupShape& shape = scheduler.group()->shape();
  BlockCounts counts = {.total = pool.num_blocks(),
                        .free = pool.num_free(),
                        .active = pool.num_active(),
                        .cached = pool.num_cached(),
                        .shared = pool.num_shared(),
                        .saved = pool.num_saved(),
                        .block_size = shape.block_size,
                        .bytes_per_block = shape.bytes_per_block,
                        .host_total = host_blocks.num_blocks(),
                        .host_used = host_blocks.num_used()};
  counts.used_slots = CountUsedSlots(scheduler);
  return counts;
}

EngineSnapshot TakeSnapshot(const Scheduler& scheduler,
                            const EngineMetrics& metrics, absl::Time now,
                            bool with_blocks) {
  EngineSnapshot snapshot = {
      .num_waiting = scheduler.waiting().num_requests(),
      .num_running = static_cast<uint32_t>(scheduler.running().size()),
      .waiting_tokens = scheduler.waiting().num_tokens(),
      .blocks = CountBlocks(scheduler),
      .num_steps = Count(metrics.steps),
      .generated_tokens = Count(metrics.generated_tokens),
      .prompt_tokens = Count(metrics.prompt_tokens),
      .cached_tokens = Count(metrics.prefix_hits),
      .num_preemptions = Count(metrics.Preemptions(Preemption::kRecompute)) +
                         Count(metrics.Preemptions(Preemption::kSwap)),
      .num_swap_preemptions = Count(metrics.Preemptions(Preemption::kSwap)),
      .num_recomputed_tokens = Count(metrics.recomputed_tokens),
      .num_blocks_swapped_out = Count(metrics.blocks_swapped_out),
      .num_blocks_swapped_in = Count(metrics.blocks_swapped_in),
      .num_discarded_tokens = Count(metrics.discarded_tokens)};
  if (scheduler.group() != nullptr) {
    snapshot.epoch = scheduler.group()->shape().epoch;
  }
  snapshot.requests.reserve(scheduler.num_open());
  for (const RequestState* request : scheduler.running()) {
    snapshot.requests.push_back(Describe(*request, now));
  }
  for (const RequestState* request : scheduler.waiting()) {
    snapshot.requests.push_back(Describe(*request, now));
  }
  if (with_blocks) snapshot.block_states = DescribeBlocks(scheduler);
  return snapshot;
}

void UpdateGauges(const Scheduler& scheduler, const EngineMetrics& metrics) {
  const BlockCounts blocks = CountBlocks(scheduler);
  metrics.free_blocks->Set(blocks.free);
  metrics.active_blocks->Set(blocks.active);
  metrics.cached_blocks->Set(blocks.cached);
  metrics.shared_blocks->Set(blocks.shared);
  metrics.saved_blocks->Set(blocks.saved);
  metrics.block_utilization->Set(Ratio(blocks.active, blocks.total));
  metrics.slot_utilization->Set(
      Ratio(blocks.used_slots, uint64_t{blocks.active} * blocks.block_size));
  metrics.free_host_blocks->Set(blocks.host_total - blocks.host_used);
  metrics.used_host_blocks->Set(blocks.host_used);
  metrics.running_requests->Set(scheduler.running().size());
  metrics.waiting_requests->Set(scheduler.waiting().num_requests());
  metrics.waiting_tokens->Set(scheduler.waiting().num_tokens());
}

}  // namespace quire
