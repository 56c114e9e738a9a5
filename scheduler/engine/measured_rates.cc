#include "scheduler/engine/measured_rates.h"

#include <algorithm>

namespace quire {
namespace {

// Of an observation's weight, what is left when the next one comes. About ten
// steps count: few enough to follow a batch that grows, and enough to smooth
// the noise of a machine that does other things too.
constexpr double kFading = 0.9;

}  // namespace

void MeasuredRates::FadingMean::Add(double sum, double num_units) {
  sum_ = kFading * sum_ + sum;
  num_units_ = kFading * num_units_ + num_units;
}

std::optional<double> MeasuredRates::FadingMean::Mean() const {
  if (num_units_ == 0) return std::nullopt;
  return sum_ / num_units_;
}

WorkRates MeasuredRates::Means() const {
  return {.ns_per_prompt_row = prompt_row_.Mean(),
          .ns_per_decode_step = decode_step_.Mean(),
          .ns_per_swapped_block = swapped_block_.Mean()};
}

void MeasuredRates::Observe(std::span<const Run> runs,
                            uint32_t num_swapped_blocks,
                            const worker::v1::StepTimings& slowest) {
  uint32_t num_prompt_rows = 0;
  for (const Run& run : runs) {
    const uint32_t num_rows = run.num_rows - run.num_drafts;
    if (num_rows > 1) num_prompt_rows += num_rows;
  }
  const auto step_ns = static_cast<double>(
      slowest.prepare_ns() + slowest.execute_ns() + slowest.sample_ns());
  if (num_prompt_rows == 0) {
    decode_step_.Add(step_ns, 1);
  } else {
    prompt_row_.Add(std::max(0.0, step_ns - decode_step_.Mean().value_or(0)),
                    num_prompt_rows);
  }
  if (num_swapped_blocks > 0) {
    swapped_block_.Add(static_cast<double>(slowest.swap_ns()),
                       num_swapped_blocks);
  }
}

}  // namespace quire
