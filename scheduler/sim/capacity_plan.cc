#include "scheduler/sim/capacity_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/check.h"

namespace quire {
namespace {

constexpr uint32_t kMaxReplicas = 4096;
// Beyond it all requests of a trace arrive as good as at once.
constexpr double kMaxRate = 1e6;
constexpr double kRateResolution = 1.05;
// Served one after the other to see whether load is to blame: enough for a 99th
// percentile.
constexpr size_t kNumAlone = 100;

// A replica at one rate.
struct Trial {
  bool meets_targets = false;           // Every one, on every trace.
  std::vector<SimulationFigures> runs;  // A trace each.
  uint64_t num_refused = 0;             // Requests, of the last run.
  bool is_burst = false;                // On any trace.
};

// Whether most of the time passes after the last request has arrived, so that
// few of them are ever served beside those that follow.
bool IsBurst(const Trace& trace, const SimulationFigures& run) {
  const double first = absl::ToDoubleSeconds(trace.front().arrival);
  const double last = absl::ToDoubleSeconds(trace.back().arrival);
  return run.duration_s - first > 2 * (last - first);
}

class CapacitySearch {
 public:
  explicit CapacitySearch(const CapacityQuestion& question)
      : question_(question),
        num_seeds_(question.load.is_recorded() ? 1 : question.num_seeds) {}

  CapacityAnswer Run() {
    FindReplicas();
    if (answer_.num_replicas > 0) FindSustainedRate();
    return std::move(answer_);
  }

 private:
  double RateOf(uint32_t num_replicas) const {
    return question_.load.rate() / num_replicas;
  }

  // The fewest that are enough are more than `too_few_`, and at most `enough`.
  void FindReplicas() {
    uint32_t enough = 1;
    Trial trial = TryAt(RateOf(enough));
    if (!trial.meets_targets) FindObstacle(trial.num_refused);
    while (!trial.meets_targets) {
      too_few_ = std::exchange(enough, 2 * enough);
      if (enough > kMaxReplicas && answer_.obstacle.empty()) {
        answer_.obstacle = absl::StrCat("with ", kMaxReplicas,
                                        " replicas a target is still missed");
      }
      if (!answer_.obstacle.empty()) return;
      trial = TryAt(RateOf(enough));
    }
    Take(std::move(trial));
    while (enough - too_few_ > 1) {
      const uint32_t between = (enough + too_few_) / 2;
      trial = TryAt(RateOf(between));
      (trial.meets_targets ? enough : too_few_) = between;
      if (trial.meets_targets) Take(std::move(trial));
    }
    answer_.num_replicas = enough;
  }

  void Take(Trial trial) {
    answer_.runs = std::move(trial.runs);
    answer_.is_burst = trial.is_burst;
  }

  // Between a rate at which the targets are met and one at which they are not.
  void FindSustainedRate() {
    double met = RateOf(answer_.num_replicas);
    double missed = too_few_ > 0 ? RateOf(too_few_) : 2 * met;
    if (too_few_ == 0) {
      while (missed < kMaxRate && MeetsTargetsAt(missed))
        met = std::exchange(missed, 2 * missed);
    }
    while (missed < kMaxRate && missed > kRateResolution * met) {
      const double between = std::sqrt(met * missed);
      (MeetsTargetsAt(between) ? met : missed) = between;
    }
    answer_.sustained_rate = met;
  }

  // Of a rate above those that are known to be met.
  bool MeetsTargetsAt(double rate) {
    const Trial trial = TryAt(rate);
    if (trial.meets_targets) answer_.is_burst = trial.is_burst;
    return trial.meets_targets;
  }

  // Ends with the first trace on which a target is missed.
  Trial TryAt(double rate) const {
    Trial trial;
    for (uint32_t i = 0; i < num_seeds_; ++i) {
      question_.report(rate);
      const Trace trace = question_.load.At(rate, question_.first_seed + i);
      trial.runs.push_back(RunSimulation(trace, question_.replica));
      const SimulationFigures& run = trial.runs.back();
      trial.is_burst |= IsBurst(trace, run);
      trial.num_refused = run.num_refused;
      if (run.num_refused > 0 || FindMissed(run) != nullptr) return trial;
    }
    trial.meets_targets = true;
    return trial;
  }

  // What no number of replicas helps against, if there is such a thing.
  void FindObstacle(uint64_t num_refused) {
    RunOptions options = question_.replica;
    if (num_refused > 0) {
      answer_.obstacle = absl::StrCat(num_refused, " requests never fit its ",
                                      options.shape.num_slots, " slots");
      return;
    }
    options.simulation.concurrency = 1;
    Trace trace = question_.load.AsItIs(question_.first_seed);
    trace.resize(std::min(trace.size(), kNumAlone));
    answer_.runs = {RunSimulation(trace, options)};
    if (const auto* target = FindMissed(answer_.runs.front())) {
      answer_.obstacle = absl::StrFormat(
          "%s is %.4g s where requests are served one by one, above %.4g s",
          target->figure.name, target->figure.Of(answer_.runs.front()),
          target->limit_s);
    }
  }

  const LatencyTarget* FindMissed(const SimulationFigures& figures) const {
    const auto missed = std::ranges::find_if(
        question_.targets,
        [&](const LatencyTarget& target) { return !target.IsMetBy(figures); });
    return missed == question_.targets.end() ? nullptr : &*missed;
  }

  const CapacityQuestion& question_;
  const uint32_t num_seeds_;
  CapacityAnswer answer_;
  uint32_t too_few_ = 0;  // Replicas, the most that are known to be.
};

}  // namespace

CapacityAnswer PlanCapacity(const CapacityQuestion& question) {
  QUIRE_CHECK(std::isfinite(question.load.rate()) &&
              !question.targets.empty() && question.num_seeds > 0);
  return CapacitySearch(question).Run();
}

}  // namespace quire
