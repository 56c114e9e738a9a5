#include "scheduler/sim/paged_system.h"

#include <utility>

#include "common/check.h"
#include "scheduler/policy/beam_search.h"

namespace quire {
namespace {

constexpr Epoch kEpoch(1);

}  // namespace

PagedSystem::PagedSystem(const Options& options, const CostModel* cost)
    : group_(std::make_shared<ModelledGroup>(&clock_, &cpu_, cost,
                                             options.block_size)),
      engine_(options.engine, &clock_, &metrics_) {
  GroupShape shape;
  shape.epoch = kEpoch;
  shape.num_blocks = options.num_blocks;
  shape.num_host_blocks = options.num_host_blocks;
  shape.block_size = options.block_size;
  shape.max_step_rows = options.engine.max_step_tokens;
  engine_.OnGroupReady(shape, group_);
  engine_.RunOnce();
}

void PagedSystem::Submit(ServedRequest served) {
  const uint64_t key = served.key;
  auto mailbox =
      std::make_shared<Mailbox>([this, key] { notified_.push_back(key); });
  QUIRE_CHECK(clients_.emplace(key, Client{mailbox}).second);
  GenerationRequest request;
  request.id = RequestId(key + 1);
  request.prompt = std::move(served.prompt);
  request.max_tokens = served.output_tokens;
  request.num_sequences = request.num_returned = served.num_sequences;
  if (served.is_beam_search) {
    request.beams.emplace();
    request.sampling.set_top_logprobs(
        CandidatesPerBeam(served.num_sequences, /*num_end_tokens=*/0));
  }
  request.mailbox = std::move(mailbox);
  engine_.Submit(std::move(request));
}

absl::Duration PagedSystem::next_event() const { return group_->next_result(); }

void PagedSystem::AdvanceTo(absl::Duration now) {
  clock_.AdvanceTo(now);
  while (group_->next_result() <= now) {
    engine_.OnResult(Rank(0), group_->TakeResult());
    TurnUntilIdle();
  }
  TurnUntilIdle();
}

void PagedSystem::TurnUntilIdle() {
  while (Turn()) ReadMailboxes();
}

// Under load a turn plans or commits: a result comes while the next plan is
// already in flight. One that does both counts as one that plans.
bool PagedSystem::Turn() {
  const size_t num_before = group_->dispatches().size();
  const absl::Time start = cpu_.Now();
  const bool moved = engine_.RunOnce();
  absl::Duration took = cpu_.Now() - start;
  const size_t num_planned = group_->dispatches().size() - num_before;
  for (size_t i = num_before; i < group_->dispatches().size(); ++i) {
    took -= group_->dispatches()[i].all;
  }
  if (num_planned > 0) {
    times_.plan.insert(times_.plan.end(), num_planned, took / num_planned);
  } else if (moved) {
    times_.commit.push_back(took);
  }
  return moved;
}

void PagedSystem::ReadMailboxes() {
  for (const uint64_t key : std::exchange(notified_, {})) Read(key);
}

void PagedSystem::Read(uint64_t key) {
  Client& client = clients_.at(key);
  const Mailbox::Contents contents = client.mailbox->TakeAll();
  if (!contents.deltas.empty() && !client.has_token) {
    client.has_token = true;
    progress_.push_back({key, Progress::kFirstToken});
  }
  if (!contents.closed) return;
  progress_.push_back(
      {key, contents.status.ok() ? Progress::kFinished : Progress::kRefused});
  clients_.erase(key);
}

std::vector<ProgressEvent> PagedSystem::TakeProgress() {
  return std::exchange(progress_, {});
}

// Blocks whose content is only cached are any request's to have.
Occupancy PagedSystem::occupancy() {
  const EngineSnapshot snapshot = engine_.Snapshot(/*with_blocks=*/false);
  const BlockCounts& blocks = snapshot.blocks;
  Occupancy occupancy;
  occupancy.num_running = snapshot.num_running;
  SlotUse& slots = occupancy.slots;
  slots.total = uint64_t{blocks.total} * blocks.block_size;
  slots.allocated = uint64_t{blocks.active} * blocks.block_size;
  slots.tokens = blocks.used_slots;
  slots.over_reserved = slots.allocated - slots.tokens;
  slots.saved = uint64_t{blocks.saved} * blocks.block_size;
  return occupancy;
}

SystemTotals PagedSystem::totals() {
  const EngineSnapshot snapshot = engine_.Snapshot(/*with_blocks=*/false);
  return {.num_steps = group_->dispatches().size(),
          .num_rows = group_->num_rows(),
          .num_preemptions = snapshot.num_preemptions,
          .num_swap_preemptions = snapshot.num_swap_preemptions};
}

}  // namespace quire
