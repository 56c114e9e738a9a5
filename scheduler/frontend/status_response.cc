#include "scheduler/frontend/status_response.h"

#include <algorithm>
#include <string>

namespace quire {
namespace {

void SetBlockCounts(const BlockCounts& counts, v1::BlockCounts* proto) {
  proto->set_total(counts.total);
  proto->set_free(counts.free);
  proto->set_active(counts.active);
  proto->set_cached(counts.cached);
  proto->set_shared(counts.shared);
  proto->set_saved(counts.saved);
  proto->set_block_size(counts.block_size);
  proto->set_used_slots(counts.used_slots);
  proto->set_bytes_per_block(counts.bytes_per_block);
  proto->set_host_total(counts.host_total);
  proto->set_host_used(counts.host_used);
}

void SetWorker(const WorkerInfo& worker, v1::WorkerStatus* proto) {
  proto->set_rank(worker.rank.value());
  proto->set_up(worker.up);
  proto->set_instruction_set(worker.instruction_set);
  proto->set_compute(worker.compute);
  proto->set_kv_dtype(worker.kv_dtype);
  proto->set_peer(worker.peer);
}

v1::Priority ToProto(Priority priority) {
  switch (priority) {
    case Priority::kLow:
      return v1::PRIORITY_LOW;
    case Priority::kNormal:
      return v1::PRIORITY_NORMAL;
    case Priority::kHigh:
      return v1::PRIORITY_HIGH;
  }
  return v1::PRIORITY_UNSPECIFIED;
}

void SetRequest(const RequestSnapshot& request, v1::RequestStatus* proto) {
  proto->set_request_id(request.name);
  proto->set_running(request.running);
  proto->set_prompt_tokens(request.prompt_tokens);
  proto->set_generated_tokens(request.generated_tokens);
  proto->set_blocks(request.num_blocks);
  proto->set_sequences(request.num_sequences);
  proto->set_preemptions(request.num_preemptions);
  proto->set_priority(ToProto(request.priority));
  proto->set_age_s(absl::ToDoubleSeconds(request.age));
}

v1::BlockState ToProto(BlockState state) {
  switch (state) {
    case BlockState::kFree:
      return v1::BLOCK_STATE_FREE;
    case BlockState::kActive:
      return v1::BLOCK_STATE_ACTIVE;
    case BlockState::kCached:
      return v1::BLOCK_STATE_CACHED;
  }
  return v1::BLOCK_STATE_FREE;
}

// Slots in use, in sixteenths of a block rounded up minus one: 0 to 15.
uint32_t Fill(uint32_t used_slots, uint32_t block_size) {
  if (used_slots == 0 || block_size == 0) return 0;
  return std::min((used_slots * 16 + block_size - 1) / block_size, 16u) - 1;
}

char BlockByte(const BlockSnapshot& block, uint32_t block_size) {
  const uint32_t state = ToProto(block.state);
  const uint32_t fill = block.state == BlockState::kActive
                            ? Fill(block.used_slots, block_size)
                            : 0;
  return static_cast<char>(state | fill << 2);
}

uint32_t Owner(const BlockSnapshot& block) {
  const bool is_reported =
      block.request >= 0 &&
      block.request < static_cast<int32_t>(kMaxReportedRequests);
  return is_reported ? block.request + 1 : 0;
}

}  // namespace

v1::StatusResponse ToStatusResponse(const absl::Status& readiness,
                                    const EngineSnapshot& snapshot,
                                    const std::vector<WorkerInfo>& workers,
                                    absl::Duration uptime) {
  v1::StatusResponse response;
  response.set_ready(readiness.ok());
  response.set_reason(std::string(readiness.message()));
  response.set_waiting_requests(snapshot.num_waiting);
  response.set_running_requests(snapshot.num_running);
  response.set_waiting_tokens(snapshot.waiting_tokens);
  SetBlockCounts(snapshot.blocks, response.mutable_blocks());
  response.set_epoch(snapshot.epoch.value());
  response.set_steps(snapshot.num_steps);
  response.set_generated_tokens(snapshot.generated_tokens);
  response.set_prompt_tokens(snapshot.prompt_tokens);
  response.set_cached_prompt_tokens(snapshot.cached_tokens);
  response.set_preemptions(snapshot.num_preemptions);
  response.set_swap_preemptions(snapshot.num_swap_preemptions);
  response.set_recomputed_tokens(snapshot.num_recomputed_tokens);
  response.set_blocks_swapped_out(snapshot.num_blocks_swapped_out);
  response.set_blocks_swapped_in(snapshot.num_blocks_swapped_in);
  for (const WorkerInfo& worker : workers)
    SetWorker(worker, response.add_workers());
  response.set_uptime_s(absl::ToDoubleSeconds(uptime));
  const size_t num_reported =
      std::min(snapshot.requests.size(), kMaxReportedRequests);
  for (size_t i = 0; i < num_reported; ++i)
    SetRequest(snapshot.requests[i], response.add_requests());
  return response;
}

v1::WatchBlocksResponse ToWatchBlocksResponse(
    const absl::Status& readiness, const EngineSnapshot& snapshot,
    const std::vector<WorkerInfo>& workers, absl::Duration uptime) {
  v1::WatchBlocksResponse response;
  *response.mutable_status() =
      ToStatusResponse(readiness, snapshot, workers, uptime);
  std::string* blocks = response.mutable_blocks();
  blocks->reserve(snapshot.block_states.size());
  response.mutable_owner()->Reserve(
      static_cast<int>(snapshot.block_states.size()));
  for (const BlockSnapshot& block : snapshot.block_states) {
    blocks->push_back(BlockByte(block, snapshot.blocks.block_size));
    response.add_owner(Owner(block));
  }
  return response;
}

}  // namespace quire
