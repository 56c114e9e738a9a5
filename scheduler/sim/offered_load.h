#ifndef QUIRE_SCHEDULER_SIM_OFFERED_LOAD_H_
#define QUIRE_SCHEDULER_SIM_OFFERED_LOAD_H_

#include <cstdint>
#include <variant>

#include "absl/status/statusor.h"
#include "scheduler/sim/trace.h"

namespace quire {

// What is asked of a service, at any pace: a trace that is made, or a recorded
// one, whose gaps are stretched. Immutable.
class OfferedLoad {
 public:
  // REQUIRES: the options are valid.
  static OfferedLoad Modelled(const TraceOptions& options);
  // REQUIRES: the trace is not empty.
  static OfferedLoad Recorded(Trace trace);

  // Whether every seed gives the same trace.
  bool is_recorded() const { return std::holds_alternative<Trace>(source_); }
  // Requests a second, as it was made or recorded; infinite where all arrive at
  // once.
  double rate() const;
  // The same requests as at any other rate. REQUIRES: rate() and `rate` are
  // finite and above 0.
  Trace At(double rate, uint64_t seed) const;
  // At its own rate.
  Trace AsItIs(uint64_t seed) const;

 private:
  explicit OfferedLoad(std::variant<TraceOptions, Trace> source);

  std::variant<TraceOptions, Trace> source_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_OFFERED_LOAD_H_
