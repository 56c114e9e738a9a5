#ifndef QUIRE_WORKER_MODEL_PHASE_TIMES_H_
#define QUIRE_WORKER_MODEL_PHASE_TIMES_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace quire {

// What a step computes, by kind.
enum class Phase {
  kEmbedding,  // And RoPE's angles.
  kNorm,       // And preparing rows for the product that follows.
  kQkvProduct,
  kRopeAndKvWrite,
  kAttention,
  kPrepareAttended,
  kAttentionOutputProduct,
  kGateUpProduct,  // And gating, and preparing rows for the next product.
  kDownProduct,
  kRankSums,  // Waiting for other ranks included.
  kOutputProduct,
};
inline constexpr std::array kPhaseNames = {"embedding",
                                           "norm",
                                           "qkv_product",
                                           "rope_and_kv_write",
                                           "attention",
                                           "prepare_attended",
                                           "attention_output_product",
                                           "gate_up_product",
                                           "down_product",
                                           "rank_sums",
                                           "output_product"};

// How often and how long each phase ran. One thread adds; others may read, in
// another process too where the object lies in shared memory.
class PhaseTimes {
 public:
  int64_t count(Phase phase) const { return Of(phase).count; }
  int64_t nanoseconds(Phase phase) const { return Of(phase).nanoseconds; }

  void Add(Phase phase, int64_t nanoseconds) {
    Entry& entry = entries_[static_cast<size_t>(phase)];
    Increase(entry.count, 1);
    Increase(entry.nanoseconds, nanoseconds);
  }

 private:
  struct Entry {
    std::atomic<int64_t> count = 0;
    std::atomic<int64_t> nanoseconds = 0;
  };
  const Entry& Of(Phase phase) const {
    return entries_[static_cast<size_t>(phase)];
  }
  static void Increase(std::atomic<int64_t>& number, int64_t by) {
    number.store(number.load(std::memory_order_relaxed) + by,
                 std::memory_order_relaxed);
  }

  std::array<Entry, kPhaseNames.size()> entries_;
};

// Adds the time of a scope. Null: nothing is measured, and no clock is read.
class PhaseScope {
 public:
  PhaseScope(PhaseTimes* times, Phase phase) : times_(times), phase_(phase) {
    if (times_ != nullptr) start_ = Clock::now();
  }
  ~PhaseScope() {
    if (times_ == nullptr) return;
    times_->Add(phase_,
                std::chrono::nanoseconds(Clock::now() - start_).count());
  }
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;

 private:
  using Clock = std::chrono::steady_clock;

  PhaseTimes* const times_;
  const Phase phase_;
  Clock::time_point start_;
};

}  // namespace quire

#endif  // QUIRE_WORKER_MODEL_PHASE_TIMES_H_
