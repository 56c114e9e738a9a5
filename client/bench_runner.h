#ifndef QUIRE_CLIENT_BENCH_RUNNER_H_
#define QUIRE_CLIENT_BENCH_RUNNER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/time/time.h"
#include "client/bench_figures.h"
#include "client/bench_workload.h"
#include "client/server_connection.h"
#include "common/clock.h"
#include "grpcpp/completion_queue.h"

namespace quire {

// How far a run is.
struct BenchProgress {
  size_t done = 0;  // Requests.
  size_t total = 0;
  uint64_t output_tokens = 0;
  absl::Duration elapsed;
};

// Plays a workload against a server: every request greedy, to its last token,
// over one channel. One thread turns one completion queue for all calls, so
// that hundreds of streams cost little beside the server they measure. Not
// thread-safe.
class BenchRunner {
 public:
  struct Options {
    size_t concurrency = 0;  // Calls in flight at most; 0 = no limit.
    absl::Duration call_limit = absl::InfiniteDuration();
    // Called now and then while the run goes; may be empty.
    std::function<void(const BenchProgress&)> report;
  };

  // `workload` is ordered by arrival. Server and clock must outlive the runner.
  BenchRunner(const ServerConnection& server, const Clock& clock,
              const std::vector<WorkloadItem>& workload, Options options);
  ~BenchRunner();

  // Plays the whole workload; one record a request, in its order. Call once.
  std::vector<BenchRecord> Run();

  // How long Run took.
  absl::Duration wall() const { return wall_; }

 private:
  class Call;

  absl::Duration Elapsed() const { return clock_.Now() - start_; }
  bool CanStart() const;
  void StartDueCalls();
  absl::Duration NextWake() const;
  void TakeEvents();
  void Report() const;

  const ServerConnection& server_;
  const Clock& clock_;
  const std::vector<WorkloadItem>& workload_;
  Options options_;
  grpc::CompletionQueue queue_;
  absl::Time start_;
  absl::Duration wall_;
  std::vector<BenchRecord> records_;
  std::vector<std::unique_ptr<Call>> calls_;  // Of each request that started.
  size_t num_done_ = 0;
  uint64_t output_tokens_ = 0;
};

}  // namespace quire

#endif  // QUIRE_CLIENT_BENCH_RUNNER_H_
