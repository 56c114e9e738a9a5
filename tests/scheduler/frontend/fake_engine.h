#ifndef QUIRE_TESTS_SCHEDULER_FRONTEND_FAKE_ENGINE_H_
#define QUIRE_TESTS_SCHEDULER_FRONTEND_FAKE_ENGINE_H_

#include <deque>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "scheduler/frontend/engine_port.h"

namespace quire::testing {

// Keeps what it is sent; the test plays the engine thread. Thread-safe.
class FakeEngine final : public EnginePort {
 public:
  void Submit(GenerationRequest request) override;
  void Cancel(RequestId id) override;
  EngineSnapshot Snapshot(bool with_blocks) override;

  // The next submitted request, waiting for it.
  GenerationRequest AwaitRequest();
  // Waits until `count` cancellations have come.
  void AwaitCancels(size_t count);

  std::vector<RequestId> cancelled();
  size_t num_submitted();
  void set_snapshot(EngineSnapshot snapshot);

 private:
  absl::Mutex mutex_;
  std::deque<GenerationRequest> requests_ ABSL_GUARDED_BY(mutex_);
  size_t num_submitted_ ABSL_GUARDED_BY(mutex_) = 0;
  std::vector<RequestId> cancelled_ ABSL_GUARDED_BY(mutex_);
  EngineSnapshot snapshot_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace quire::testing

#endif  // QUIRE_TESTS_SCHEDULER_FRONTEND_FAKE_ENGINE_H_
