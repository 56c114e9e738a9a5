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
// worker as a child, ports that the system chooses.
class TestCluster {
 public:
  // Returns when a worker is attached and ready. `options` need a model only;
  // the state of the scheduler is checked after every step.
  TestCluster(ServerOptions options, std::vector<std::string> worker_flags);

  quire::v1::Quire::StubInterface& stub() { return *stub_; }
  // A channel of its own: a client that can go away.
  std::unique_ptr<quire::v1::Quire::Stub> NewClient() const;
  Server& server() { return *server_; }
  ChildWorker& worker() { return *worker_; }

  // The worker dies; StartWorker brings another one.
  void KillWorker() { worker_->Kill(); }
  void StartWorker();
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
  std::unique_ptr<Server> server_;
  std::unique_ptr<ChildWorker> worker_;
  std::unique_ptr<quire::v1::Quire::Stub> stub_;
};

}  // namespace quire

#endif  // QUIRE_TESTS_TESTING_TEST_CLUSTER_H_
