#ifndef QUIRE_SCHEDULER_SIM_SERVING_SYSTEM_H_
#define QUIRE_SCHEDULER_SIM_SERVING_SYSTEM_H_

#include <cstdint>
#include <vector>

#include "absl/time/time.h"
#include "common/ids.h"

namespace quire {

// A request as a system is given it.
struct ServedRequest {
  uint64_t key = 0;  // The caller's name for it.
  std::vector<Token> prompt;
  uint32_t output_tokens = 0;  // Of each sequence.
  uint32_t num_sequences = 1;
  bool is_beam_search = false;  // These are the beams of one, not samples.
};

enum class Progress {
  kFirstToken,  // Of any sequence, or of each.
  kFinished,    // With all tokens of all its sequences.
  kRefused,     // It never fits.
};

struct ProgressEvent {
  uint64_t key = 0;
  Progress progress = Progress::kFinished;
};

// The slots of the KV cache, by what they are used for.
struct SlotUse {
  uint64_t total = 0;
  uint64_t allocated = 0;      // Not available to others.
  uint64_t tokens = 0;         // Hold K and V of a token.
  uint64_t reserved = 0;       // Will, before the sequence that has them ends.
  uint64_t over_reserved = 0;  // Never will: internal fragmentation.
  // Would be allocated in addition if no two sequences shared a slot.
  uint64_t saved = 0;
};

// What a system holds at a moment.
struct Occupancy {
  uint64_t num_running = 0;  // Requests.
  SlotUse slots;
};

// What a system has done since its start.
struct SystemTotals {
  uint64_t num_steps = 0;
  uint64_t num_rows = 0;  // Of all steps.
  uint64_t num_preemptions = 0;
  uint64_t num_swap_preemptions = 0;  // Of these, to host blocks.
};

// A way to serve a model, with time of its own, which the caller moves. One
// thread.
class ServingSystem {
 public:
  virtual ~ServingSystem() = default;

  // Takes a request, which joins at the time of the next AdvanceTo. Keys
  // differ.
  virtual void Submit(ServedRequest request) = 0;
  // When something happens by itself; InfiniteDuration: nothing will.
  virtual absl::Duration next_event() const = 0;
  // Does all that is due. REQUIRES: not before the last time, not behind
  // next_event().
  virtual void AdvanceTo(absl::Duration now) = 0;
  // What has happened since the last call, in order.
  virtual std::vector<ProgressEvent> TakeProgress() = 0;

  virtual Occupancy occupancy() = 0;
  virtual SystemTotals totals() = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_SERVING_SYSTEM_H_
