#ifndef QUIRE_TESTS_SCHEDULER_SIM_SYSTEM_FIXTURE_H_
#define QUIRE_TESTS_SCHEDULER_SIM_SYSTEM_FIXTURE_H_

#include <cstdint>
#include <map>
#include <vector>

#include "gtest/gtest.h"
#include "scheduler/sim/cost_model.h"
#include "scheduler/sim/serving_system.h"

namespace quire {

// Runs a serving system by itself. A step takes a second, whatever it computes.
class SystemTest : public testing::Test {
 protected:
  // Prompts of different keys share nothing.
  static void Submit(ServingSystem& system, uint64_t key,
                     uint32_t prompt_tokens, uint32_t output_tokens,
                     uint32_t num_sequences = 1) {
    system.Submit({.key = key,
                   .prompt = std::vector<Token>(prompt_tokens, Token(key)),
                   .output_tokens = output_tokens,
                   .num_sequences = num_sequences});
  }

  // Moves the system to the end of its next step and notes what happened.
  void Step(ServingSystem& system) {
    now_ = std::min(system.next_event(), now_ + absl::Seconds(1));
    Advance(system);
  }
  void Advance(ServingSystem& system) {
    system.AdvanceTo(now_);
    for (const ProgressEvent& event : system.TakeProgress()) {
      events_[event.progress][event.key] = absl::ToDoubleSeconds(now_);
    }
  }
  void RunToEnd(ServingSystem& system) {
    Advance(system);
    while (system.next_event() < absl::InfiniteDuration()) Step(system);
  }

  // When it happened to the requests, last, in seconds, by key.
  const std::map<uint64_t, double>& When(Progress progress) {
    return events_[progress];
  }

  absl::Duration now_;
  const CostModel cost_{{},
                        {.memory_bytes_per_s = 1,
                         .memory_efficiency = 1,
                         .flops = 1,
                         .flops_efficiency = 1,
                         .step_overhead_s = 1,
                         .host_bytes_per_s = 1}};

 private:
  std::map<Progress, std::map<uint64_t, double>> events_;
};

}  // namespace quire

#endif  // QUIRE_TESTS_SCHEDULER_SIM_SYSTEM_FIXTURE_H_
