#ifndef QUIRE_TESTS_BENCH_STEP_ANATOMY_MEASURED_SERVICE_H_
#define QUIRE_TESTS_BENCH_STEP_ANATOMY_MEASURED_SERVICE_H_

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "quire/v1/quire.grpc.pb.h"
#include "scheduler/server.h"
#include "worker/model/phase_times.h"

namespace quire {

// Numbers that only grow, by name: samples of the scheduler's metrics; of each
// phase of the worker's "phase_seconds/NAME"; "forward_passes"; and the time,
// "wall_seconds".
using Counters = std::map<std::string, double>;

// What happened between two readings.
Counters Difference(const Counters& before, Counters after);

// The worker that serves MeasuredService: a process of its own, forked without
// another program, so that its phases can be seen in shared memory.
class MeasuredWorker {
 public:
  // REQUIRES: this process has no other thread. The worker waits for Attach.
  explicit MeasuredWorker(const std::string& model);
  ~MeasuredWorker();
  MeasuredWorker(const MeasuredWorker&) = delete;
  MeasuredWorker& operator=(const MeasuredWorker&) = delete;

  // Once: tells it the scheduler's address.
  void Attach(const std::string& scheduler);

  pid_t pid() const { return pid_; }
  const PhaseTimes& phase_times() const { return *phase_times_; }

 private:
  PhaseTimes* const phase_times_;  // Shared with the worker.
  int address_pipe_ = -1;
  pid_t pid_ = -1;
};

// A whole service as it is in production, but for its ports, with a reading of
// where its steps' time goes.
class MeasuredService {
 public:
  // Returns when the worker is attached. `worker` must outlive the service.
  MeasuredService(const std::string& model, uint32_t num_blocks,
                  MeasuredWorker* worker);

  quire::v1::Quire::StubInterface& stub() { return *stub_; }
  Counters Read() const;

 private:
  MeasuredWorker* const worker_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<quire::v1::Quire::Stub> stub_;
};

}  // namespace quire

#endif  // QUIRE_TESTS_BENCH_STEP_ANATOMY_MEASURED_SERVICE_H_
