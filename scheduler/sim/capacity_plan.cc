#include "scheduler/sim/capacity_plan.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/check.h"
#include "scheduler/memory/capacity.h"

namespace quire {
namespace {

constexpr uint32_t kMaxReplicas = 4096;
// Beyond it all requests of a trace arrive as good as at once.
constexpr double kMaxRate = 1e6;
constexpr double kRateResolution = 1.05;
// Served one after the other to see whether load is to blame: enough for a 99th
// percentile.
constexpr size_t kNumAlone = 100;

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

  // The fewest that hold are above `misses_`, and at most `holds`.
  void FindReplicas() {
    uint32_t holds = 1;
    while (!Holds(RateOf(holds))) {
      if (misses_ == 0) FindObstacle();
      misses_ = holds;
      holds *= 2;
      if (holds > kMaxReplicas && answer_.obstacle.empty()) {
        answer_.obstacle = absl::StrCat("with ", kMaxReplicas,
                                        " replicas a target is still missed");
      }
      if (!answer_.obstacle.empty()) return;
    }
    while (holds - misses_ > 1) {
      const uint32_t between = (holds + misses_) / 2;
      (Holds(RateOf(between)) ? holds : misses_) = between;
    }
    answer_.num_replicas = holds;
    answer_.runs = held_;
  }

  // Between a rate that holds and one that does not.
  void FindSustainedRate() {
    double low = RateOf(answer_.num_replicas);
    double high = misses_ > 0 ? RateOf(misses_) : 2 * low;
    if (misses_ == 0) {
      while (high < kMaxRate && Holds(high))
        low = std::exchange(high, 2 * high);
    }
    while (high < kMaxRate && high > kRateResolution * low) {
      const double between = std::sqrt(low * high);
      (Holds(between) ? low : high) = between;
    }
    answer_.sustained_rate = low;
  }

  // Whether a replica meets every target on every trace; its runs are held_.
  bool Holds(double rate) {
    std::vector<SimulationFigures> runs;
    for (uint32_t i = 0; i < num_seeds_; ++i) {
      question_.report(rate);
      runs.push_back(
          RunSimulation(question_.load.At(rate, question_.first_seed + i),
                        question_.replica));
      num_refused_ = runs.back().num_refused;
      if (num_refused_ > 0 || FindMissed(runs.back()) != nullptr) return false;
    }
    held_ = std::move(runs);
    return true;
  }

  // What no number of replicas helps against, if there is such a thing.
  void FindObstacle() {
    RunOptions options = question_.replica;
    options.simulation.concurrency = 1;
    Trace trace = question_.load.AsItIs(question_.first_seed);
    trace.resize(std::min(trace.size(), kNumAlone));
    answer_.runs = {RunSimulation(trace, options)};
    if (num_refused_ > 0) {
      answer_.obstacle = absl::StrCat(num_refused_, " requests never fit its ",
                                      options.shape.num_slots, " slots");
    } else if (const auto* target = FindMissed(answer_.runs.front())) {
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
  uint32_t misses_ = 0;                  // Replicas that do not suffice.
  uint64_t num_refused_ = 0;             // In the last run.
  std::vector<SimulationFigures> held_;  // Of the last rate that held.
};

}  // namespace

MemorySplit SplitMemory(const ModelShape& shape, uint32_t block_size) {
  MemorySplit split;
  split.weight_bytes = shape.weight_bytes();
  split.block_bytes = block_size * shape.bytes_per_slot();
  split.num_blocks = shape.num_slots / block_size;
  split.num_slots = split.num_blocks * block_size;
  split.longest_request =
      std::min<uint64_t>(shape.context_length, split.num_slots + 1);
  split.longest_blocks = BlocksForRequest(split.longest_request, block_size);
  split.num_longest = split.num_blocks / split.longest_blocks;
  return split;
}

CapacityAnswer PlanCapacity(const CapacityQuestion& question) {
  QUIRE_CHECK(std::isfinite(question.load.rate()) &&
              !question.targets.empty() && question.num_seeds > 0);
  return CapacitySearch(question).Run();
}

}  // namespace quire
