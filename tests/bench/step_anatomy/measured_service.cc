#include "tests/bench/step_anatomy/measured_service.h"

#include <httplib.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <new>
#include <sstream>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/time/clock.h"
#include "common/check.h"
#include "common/log.h"
#include "grpcpp/grpcpp.h"
#include "worker/run_worker.h"
#include "worker/termination_signal.h"
#include "worker/worker_options.h"

namespace quire {
namespace {

PhaseTimes* MapShared() {
  void* const memory = mmap(nullptr, sizeof(PhaseTimes), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  QUIRE_CHECK(memory != MAP_FAILED);
  return new (memory) PhaseTimes();
}

std::string ReadToEnd(int file) {
  std::string text;
  char buffer[256];
  for (ssize_t size; (size = read(file, buffer, sizeof(buffer))) > 0;) {
    text.append(buffer, size);
  }
  close(file);
  return text;
}

// The life of the worker's process. Host blocks would be memory that no step
// of these loads needs.
int Serve(const std::string& model, const std::string& scheduler,
          PhaseTimes* phase_times) {
  SetLogName("worker 0");
  TerminationSignal signal;
  const absl::Status status = RunWorker({.scheduler = scheduler,
                                         .model = model,
                                         .host_kv_memory = "0",
                                         .phase_times = phase_times},
                                        &signal);
  if (!status.ok()) LogError(std::string(status.message()));
  return status.ok() ? 0 : 1;
}

// Without drafts: how often these are right depends on the texts.
std::unique_ptr<Server> StartServer(const std::string& model,
                                    uint32_t num_blocks) {
  absl::StatusOr<std::unique_ptr<Server>> server =
      Server::Start({.model = model,
                     .listen = "127.0.0.1:0",
                     .worker_listen = "127.0.0.1:0",
                     .admin_listen = "127.0.0.1:0",
                     .num_blocks = num_blocks,
                     .engine = {.draft_tokens = 0}});
  if (!server.ok()) LogError(std::string(server.status().message()));
  QUIRE_CHECK(server.ok());
  return *std::move(server);
}

}  // namespace

Counters Difference(const Counters& before, Counters after) {
  for (auto& [name, value] : after) {
    const auto earlier = before.find(name);
    if (earlier != before.end()) value -= earlier->second;
  }
  return after;
}

MeasuredWorker::MeasuredWorker(const std::string& model)
    : phase_times_(MapShared()) {
  int ends[2];
  QUIRE_CHECK(pipe(ends) == 0);
  const pid_t parent = getpid();
  pid_ = fork();
  QUIRE_CHECK(pid_ >= 0);
  if (pid_ == 0) {
    // A benchmark that crashes takes its worker with it.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    close(ends[1]);
    _exit(Serve(model, ReadToEnd(ends[0]), phase_times_));
  }
  close(ends[0]);
  address_pipe_ = ends[1];
}

MeasuredWorker::~MeasuredWorker() {
  kill(pid_, SIGTERM);
  waitpid(pid_, nullptr, 0);
  munmap(phase_times_, sizeof(PhaseTimes));
}

void MeasuredWorker::Attach(const std::string& scheduler) {
  const auto size = static_cast<ssize_t>(scheduler.size());
  QUIRE_CHECK(write(address_pipe_, scheduler.data(), scheduler.size()) == size);
  close(address_pipe_);
}

MeasuredService::MeasuredService(const std::string& model, uint32_t num_blocks,
                                 MeasuredWorker* worker)
    : worker_(worker),
      server_(StartServer(model, num_blocks)),
      stub_(quire::v1::Quire::NewStub(grpc::CreateChannel(
          server_->api_address(), grpc::InsecureChannelCredentials()))) {
  worker->Attach(server_->worker_address());
  const absl::Time limit = absl::Now() + absl::Minutes(5);
  while (!server_->CheckReady().ok()) {
    QUIRE_CHECK(absl::Now() < limit);
    absl::SleepFor(absl::Milliseconds(10));
  }
}

Counters MeasuredService::Read() const {
  Counters counters;
  httplib::Client client("http://" + server_->admin_address());
  const httplib::Result result = client.Get("/metrics");
  QUIRE_CHECK(result && result->status == 200);
  counters["wall_seconds"] = absl::ToDoubleSeconds(absl::Now() - absl::Time());
  const PhaseTimes& times = worker_->phase_times();
  counters["forward_passes"] =
      static_cast<double>(times.count(Phase::kEmbedding));
  for (size_t i = 0; i < kPhaseNames.size(); ++i) {
    counters["phase_seconds/" + std::string(kPhaseNames[i])] =
        static_cast<double>(times.nanoseconds(static_cast<Phase>(i))) * 1e-9;
  }
  std::istringstream lines(result->body);
  for (std::string line; std::getline(lines, line);) {
    const size_t space = line.rfind(' ');
    double value = 0;
    if (line.starts_with('#') || space == std::string::npos ||
        !absl::SimpleAtod(line.substr(space + 1), &value)) {
      continue;
    }
    counters[line.substr(0, space)] = value;
  }
  return counters;
}

}  // namespace quire
