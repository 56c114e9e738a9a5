#ifndef QUIRE_SCHEDULER_SIM_MACHINE_H_
#define QUIRE_SCHEDULER_SIM_MACHINE_H_

#include <string>

#include "absl/status/statusor.h"

namespace quire {

// What a step's time is made of on one device. machines.inc says where each
// value is from.
struct Machine {
  double memory_bytes_per_s = 0;
  double memory_efficiency = 0;  // Share of it that kernels reach.
  double flops = 0;              // A second.
  double flops_efficiency = 0;   // Share of it that kernels reach.
  double step_overhead_s = 0;
  double layer_overhead_s = 0;
  double link_bytes_per_s = 0;  // Between devices.
  double link_latency_s = 0;    // Of one all-reduce.
  double host_bytes_per_s = 0;  // Between a device and its host, each way.
};

// The contents of machines.inc, which is a text in the form of a C++ string.
const char* KnownMachines();

// The machine [name] of a text in the form of machines.inc. INVALID_ARGUMENT
// names the line: not of this form, a value without a source, a field that is
// unknown, or given twice, or not above 0; or it lists the machines there are,
// or names the field that is missing, or the efficiency above 1.
absl::StatusOr<Machine> ParseMachine(const std::string& text,
                                     const std::string& name);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_MACHINE_H_
