#include "scheduler/sim/offered_load.h"

#include <cmath>
#include <utility>

#include "absl/time/time.h"
#include "common/check.h"

namespace quire {

OfferedLoad::OfferedLoad(std::variant<TraceOptions, Trace> source)
    : source_(std::move(source)) {}

OfferedLoad OfferedLoad::Modelled(const TraceOptions& options) {
  QUIRE_CHECK(options.Validate().ok());
  return OfferedLoad(options);
}

OfferedLoad OfferedLoad::Recorded(Trace trace) {
  QUIRE_CHECK(!trace.empty());
  return OfferedLoad(std::move(trace));
}

// Of n requests there are n - 1 gaps.
double OfferedLoad::rate() const {
  if (!is_recorded()) return std::get<TraceOptions>(source_).rate;
  const Trace& trace = std::get<Trace>(source_);
  const absl::Duration span = trace.back().arrival - trace.front().arrival;
  if (span <= absl::ZeroDuration()) return HUGE_VAL;
  return static_cast<double>(trace.size() - 1) / absl::ToDoubleSeconds(span);
}

Trace OfferedLoad::AsItIs(uint64_t seed) const {
  if (is_recorded()) return std::get<Trace>(source_);
  TraceOptions options = std::get<TraceOptions>(source_);
  options.seed = seed;
  return MakeTrace(options);
}

Trace OfferedLoad::At(double wanted, uint64_t seed) const {
  QUIRE_CHECK(std::isfinite(rate()) && std::isfinite(wanted) && wanted > 0);
  Trace trace = AsItIs(seed);
  const double stretch = rate() / wanted;
  for (TraceRequest& request : trace) request.arrival *= stretch;
  return trace;
}

}  // namespace quire
