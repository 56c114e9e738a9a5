#include "scheduler/engine/consistency.h"

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "scheduler/memory/block_ledger.h"
#include "scheduler/memory/host_block_pool.h"
#include "scheduler/policy/order.h"

namespace quire {
namespace {

using RowsInFlight = absl::flat_hash_map<SequenceId, uint32_t>;

RowsInFlight CountRowsInFlight(const Group& group) {
  RowsInFlight rows;
  for (const InFlightStep& step : group.in_flight()) {
    for (const Run& run : step.runs()) {
      rows[run.sequence] += run.num_rows;
    }
  }
  return rows;
}

absl::Status Violation(const RequestState& request, const char* what) {
  return absl::InternalError(
      absl::StrCat("request ", request.id().value(), " ", what));
}

// Slots add up, and nothing is planned that can never be wanted.
absl::Status CheckSlots(const RequestState& request, const Sequence& sequence,
                        const RowsInFlight& rows) {
  const auto found = rows.find(sequence.id());
  const uint32_t in_flight = found == rows.end() ? 0 : found->second;
  if (sequence.committed() + in_flight != sequence.planned()) {
    return absl::InternalError(absl::StrCat(
        "sequence ", sequence.index(), " of request ", request.id().value(),
        " has ", sequence.planned(), " slots planned, ", sequence.committed(),
        " committed and ", in_flight, " in flight"));
  }
  if (sequence.planned() > sequence.last_slots()) {
    return Violation(request, "is planned beyond its last token");
  }
  if (sequence.committed() > sequence.known()) {
    return Violation(request, "has slots committed for tokens not known");
  }
  if (sequence.planned() > sequence.table().capacity()) {
    return Violation(request, "uses slots that it has no block for");
  }
  return absl::OkStatus();
}

absl::Status CheckRunning(const Scheduler& scheduler) {
  if (scheduler.group() == nullptr) {
    return scheduler.running().empty()
               ? absl::OkStatus()
               : absl::InternalError("requests run without a group");
  }
  const RowsInFlight rows = CountRowsInFlight(*scheduler.group());
  std::vector<const BlockTable*> tables;
  uint32_t num_sequences = 0;
  const RequestState* before = nullptr;
  for (const RequestState* request : scheduler.running()) {
    if (before != nullptr && !ServedBefore(before->place(), request->place())) {
      return Violation(*request, "runs out of order");
    }
    for (const auto& sequence : request->sequences()) {
      if (sequence->parked()) {
        return Violation(*request, "runs without a block table");
      }
      if (sequence->swapped() != nullptr) {
        return Violation(*request, "runs and is swapped");
      }
      QUIRE_RETURN_IF_ERROR(CheckSlots(*request, *sequence, rows));
      tables.push_back(&sequence->table());
    }
    num_sequences += request->most_sequences();
    before = request;
  }
  if (num_sequences != scheduler.num_running_sequences()) {
    return absl::InternalError(
        absl::StrCat(scheduler.num_running_sequences(),
                     " sequences are counted as running, ", num_sequences,
                     " belong to requests that run"));
  }
  QUIRE_RETURN_IF_ERROR(scheduler.group()->pool().CheckConsistency());
  QUIRE_RETURN_IF_ERROR(scheduler.group()->prefixes().CheckConsistency());
  return CheckReferences(scheduler.group()->pool(), tables);
}

// Every host block in use is named by a sequence that is swapped or by a swap
// that is still to be asked for.
absl::Status CheckHostBlocks(const Scheduler& scheduler) {
  const std::vector<HostBlockId> pending =
      scheduler.pending_swaps().named_host_blocks();
  absl::flat_hash_set<HostBlockId> named(pending.begin(), pending.end());
  for (const RequestState* request : scheduler.waiting()) {
    for (const auto& sequence : request->sequences()) {
      if (sequence->swapped() == nullptr) continue;
      for (const HostBlockRef& block : sequence->swapped()->blocks) {
        named.insert(block->id());
      }
    }
  }
  const Group* const group = scheduler.group();
  const uint32_t num_used =
      group == nullptr ? 0 : group->host_blocks().num_used();
  if (named.size() == num_used) return absl::OkStatus();
  return absl::InternalError(absl::StrCat(num_used, " host blocks are in use, ",
                                          named.size(), " are named"));
}

absl::Status CheckWaiting(const Scheduler& scheduler) {
  const RequestQueue& waiting = scheduler.waiting();
  uint64_t num_tokens = 0;
  for (const RequestState* request : waiting) {
    for (const auto& sequence : request->sequences()) {
      if (!sequence->parked()) {
        return Violation(*request, "waits and holds blocks");
      }
    }
    num_tokens += request->prompt_length();
  }
  if (num_tokens != waiting.num_tokens()) {
    return absl::InternalError(
        absl::StrCat("the queue counts ", waiting.num_tokens(),
                     " prompt tokens and holds ", num_tokens));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckConsistency(const Scheduler& scheduler) {
  QUIRE_RETURN_IF_ERROR(CheckRunning(scheduler));
  QUIRE_RETURN_IF_ERROR(CheckWaiting(scheduler));
  QUIRE_RETURN_IF_ERROR(CheckHostBlocks(scheduler));
  const size_t placed =
      scheduler.running().size() + scheduler.waiting().num_requests();
  if (placed != scheduler.num_open()) {
    return absl::InternalError(absl::StrCat(
        scheduler.num_open(), " requests are open, ", placed, " run or wait"));
  }
  return absl::OkStatus();
}

}  // namespace quire
