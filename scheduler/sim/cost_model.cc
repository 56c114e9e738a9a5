#include "scheduler/sim/cost_model.h"

#include <algorithm>

namespace quire {
namespace {

double Number(uint64_t count) { return static_cast<double>(count); }

}  // namespace

void StepWork::AddRun(uint64_t position, uint64_t rows) {
  num_rows += rows;
  slots_read += position + rows;
  slots_attended += rows * position + rows * (rows + 1) / 2;
}

CostModel::CostModel(const ModelShape& shape, const Machine& machine)
    : shape_(shape),
      machine_(machine),
      bytes_per_s_(machine.memory_bytes_per_s * machine.memory_efficiency *
                   shape.num_devices),
      flops_(machine.flops * machine.flops_efficiency * shape.num_devices) {}

absl::Duration CostModel::StepTime(const StepWork& work) const {
  const double overhead = machine_.step_overhead_s +
                          machine_.layer_overhead_s * Number(shape_.num_layers);
  return absl::Seconds(overhead + LinearSeconds(work) + AttentionSeconds(work) +
                       AllReduceSeconds(work) + MoveSeconds(work));
}

absl::Duration CostModel::MoveTime(const StepWork& work) const {
  return absl::Seconds(MoveSeconds(work));
}

// A weight takes part in one multiplication and one addition a row.
double CostModel::LinearSeconds(const StepWork& work) const {
  return std::max(
      Number(shape_.weight_bytes()) / bytes_per_s_,
      2 * Number(shape_.num_parameters) * Number(work.num_rows) / flops_);
}

// Queries times keys, and scores times values.
double CostModel::AttentionSeconds(const StepWork& work) const {
  const double read = Number(work.slots_read) * Number(shape_.bytes_per_slot());
  const double products = 4 * Number(work.slots_attended) *
                          Number(shape_.query_size * shape_.num_layers);
  return std::max(read / bytes_per_s_, products / flops_);
}

// Two a layer; a ring moves each byte twice, less what a device has already.
double CostModel::AllReduceSeconds(const StepWork& work) const {
  if (shape_.num_devices == 1) return 0;
  const double bytes = Number(work.num_rows) * Number(shape_.hidden_size) *
                       Number(shape_.bytes_per_weight);
  const double moved =
      2 * bytes * (shape_.num_devices - 1) / shape_.num_devices;
  return 2 * Number(shape_.num_layers) *
         (machine_.link_latency_s + moved / machine_.link_bytes_per_s);
}

double CostModel::MoveSeconds(const StepWork& work) const {
  const double slot = Number(shape_.bytes_per_slot());
  const double copied = 2 * Number(work.slots_copied) * slot / bytes_per_s_;
  return copied + Number(work.slots_swapped) * slot /
                      (machine_.host_bytes_per_s * shape_.num_devices);
}

}  // namespace quire
