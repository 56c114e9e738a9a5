#include "scheduler/engine/in_flight_step.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/status_macros.h"
#include "scheduler/engine/result_check.h"

namespace quire {

InFlightStep::InFlightStep(StepId id, uint32_t num_ranks, std::vector<Run> runs,
                           uint32_t num_swapped_blocks, absl::Time planned)
    : id_(id),
      planned_(planned),
      runs_(std::move(runs)),
      has_drafts_(std::ranges::any_of(
          runs_, [](const Run& run) { return run.num_drafts > 0; })),
      num_swapped_blocks_(num_swapped_blocks),
      answered_(num_ranks, false) {}

absl::Status InFlightStep::Accept(Rank rank, worker::v1::StepResult result) {
  QUIRE_CHECK(!HasAnswerOf(rank));
  if (result.status_code() != 0) {
    return absl::InternalError(absl::StrCat("failed with code ",
                                            result.status_code(), ": ",
                                            result.status_message()));
  }
  if (rank == Rank(0)) QUIRE_RETURN_IF_ERROR(CheckResult(runs_, result));
  const worker::v1::StepTimings& timings = result.timings();
  slowest_.set_prepare_ns(
      std::max(slowest_.prepare_ns(), timings.prepare_ns()));
  slowest_.set_execute_ns(
      std::max(slowest_.execute_ns(), timings.execute_ns()));
  slowest_.set_sample_ns(std::max(slowest_.sample_ns(), timings.sample_ns()));
  slowest_.set_swap_ns(std::max(slowest_.swap_ns(), timings.swap_ns()));
  answered_[rank.value()] = true;
  ++num_answers_;
  if (rank == Rank(0)) result_ = std::move(result);
  return absl::OkStatus();
}

}  // namespace quire
