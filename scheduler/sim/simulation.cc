#include "scheduler/sim/simulation.h"

#include <algorithm>
#include <utility>

#include "common/check.h"

namespace quire {
namespace {

// Averages what a system holds, each look counted for the time until the next.
class OccupancyAverage {
 public:
  void Look(absl::Duration now, const Occupancy& occupancy) {
    Count(now);
    held_ = occupancy;
    since_ = now;
    sum_.most_running = std::max(sum_.most_running, occupancy.num_running);
  }
  // How long ago the last look was; InfiniteDuration: there was none.
  absl::Duration Age(absl::Duration now) const { return now - since_; }

  MeanOccupancy Finish(absl::Duration end) {
    Count(end);
    sum_.total = held_.slots.total;
    if (seconds_ == 0) return sum_;
    for (double* part : {&sum_.num_running, &sum_.allocated, &sum_.tokens,
                         &sum_.reserved, &sum_.over_reserved, &sum_.saved}) {
      *part /= seconds_;
    }
    return sum_;
  }

 private:
  void Count(absl::Duration now) {
    if (since_ < absl::ZeroDuration()) return;
    const double seconds = absl::ToDoubleSeconds(now - since_);
    const SlotUse& slots = held_.slots;
    seconds_ += seconds;
    sum_.num_running += seconds * static_cast<double>(held_.num_running);
    sum_.allocated += seconds * static_cast<double>(slots.allocated);
    sum_.tokens += seconds * static_cast<double>(slots.tokens);
    sum_.reserved += seconds * static_cast<double>(slots.reserved);
    sum_.over_reserved += seconds * static_cast<double>(slots.over_reserved);
    sum_.saved += seconds * static_cast<double>(slots.saved);
  }

  Occupancy held_;
  absl::Duration since_ = -absl::InfiniteDuration();
  double seconds_ = 0;
  MeanOccupancy sum_;  // Times seconds, until Finish.
};

class Simulation {
 public:
  Simulation(const Trace& trace, ServingSystem& system,
             const SimulationOptions& options)
      : trace_(trace), system_(system), options_(options) {
    outcome_.requests.resize(trace.size());
  }

  SimulationOutcome Run() {
    while (num_ended_ < trace_.size()) {
      now_ = std::min(NextArrival(), system_.next_event());
      QUIRE_CHECK(now_ < absl::InfiniteDuration());
      while (NextArrival() <= now_) SubmitNext();
      system_.AdvanceTo(now_);
      for (const ProgressEvent& event : system_.TakeProgress()) Take(event);
      LookAtTimes();
    }
    outcome_.duration = now_;
    if (!averaged_) outcome_.occupancy = average_.Finish(now_);
    return std::move(outcome_);
  }

 private:
  absl::Duration NextArrival() const {
    if (num_submitted_ == trace_.size()) return absl::InfiniteDuration();
    if (options_.concurrency == 0) return trace_[num_submitted_].arrival;
    return num_submitted_ - num_ended_ < options_.concurrency
               ? now_
               : absl::InfiniteDuration();
  }

  void SubmitNext() {
    const TraceRequest& request = trace_[num_submitted_];
    outcome_.requests[num_submitted_].arrival = now_;
    system_.Submit({.key = num_submitted_,
                    .prompt = PromptOf(request, num_submitted_),
                    .output_tokens = request.output_tokens,
                    .num_sequences = request.num_sequences,
                    .is_beam_search = request.is_beam_search});
    ++num_submitted_;
  }

  void Take(const ProgressEvent& event) {
    RequestOutcome& request = outcome_.requests[event.key];
    if (event.progress == Progress::kFirstToken) {
      if (request.first_token == absl::ZeroDuration()) {
        request.first_token = now_;
      }
      return;
    }
    request.refused |= event.progress == Progress::kRefused;
    request.finish = now_;
    ++num_ended_;
  }

  void LookAtTimes() {
    if (averaged_) return;
    const bool all_submitted = num_submitted_ == trace_.size();
    const bool at_once =
        outcome_.requests.back().arrival == outcome_.requests.front().arrival;
    if (all_submitted && !at_once) {
      outcome_.occupancy = average_.Finish(now_);
      averaged_ = true;
    } else if (average_.Age(now_) >= options_.sample_interval) {
      average_.Look(now_, system_.occupancy());
    }
  }

  const Trace& trace_;
  ServingSystem& system_;
  const SimulationOptions options_;
  SimulationOutcome outcome_;
  OccupancyAverage average_;
  bool averaged_ = false;
  absl::Duration now_;
  size_t num_submitted_ = 0;
  size_t num_ended_ = 0;
};

}  // namespace

SimulationOutcome Simulate(const Trace& trace, ServingSystem& system,
                           const SimulationOptions& options) {
  return Simulation(trace, system, options).Run();
}

}  // namespace quire
