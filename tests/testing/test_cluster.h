#ifndef QUIRE_TESTS_TESTING_TEST_CLUSTER_H_
#define QUIRE_TESTS_TESTING_TEST_CLUSTER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "quire/v1/quire.grpc.pb.h"
#include "scheduler/server.h"
#include "scheduler/server_options.h"
#include "tests/testing/child_worker.h"

namespace quire {

// A whole Quire for a test: the scheduler's server in this process, a real
// worker as a child for each of its ranks, ports that the system chooses.
class TestCluster {
 public:
  // Returns when all workers are attached and ready. `options` need a model
  // only; the state of the scheduler is checked after every step.
  TestCluster(ServerOptions options, std::vector<std::string> worker_flags);

  quire::v1::Quire::StubInterface& stub() { return *stub_; }
  // A channel of its own: a client that can go away.
  std::unique_ptr<quire::v1::Quire::Stub> NewClient() const;
  Server& server() { return *server_; }
  ChildWorker& worker(uint32_t rank = 0) { return *workers_[rank]; }

  // The worker dies; StartWorker brings another one.
  void KillWorker(uint32_t rank = 0) { workers_[rank]->Kill(); }
  void StartWorker(uint32_t rank = 0);
  void WaitUntilReady();

  quire::v1::StatusResponse Status();
  // Until so many requests have arrived and not ended.
  void WaitUntilOpen(uint32_t num_requests);
  // Until no request is open, then the state.
  quire::v1::StatusResponse WaitUntilIdle();

  // The text of /metrics, and one sample of it by its full name with labels:
  // `quire_blocks{state="free"}`. NaN: there is none.
  std::string Scrape();
  double Metric(const std::string& sample);

 private:
  const std::string model_;
  const std::vector<std::string> worker_flags_;
  const uint32_t world_size_;
  std::unique_ptr<Server> server_;
  std::vector<std::unique_ptr<ChildWorker>> workers_;  // By rank.
  std::unique_ptr<quire::v1::Quire::Stub> stub_;
};

}  // namespace quire

#endif  // QUIRE_TESTS_TESTING_TEST_CLUSTER_H_
