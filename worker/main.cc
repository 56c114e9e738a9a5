#include <cstdio>
#include <optional>
#include <string>

#include "absl/flags/flag.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "common/command_flags.h"
#include "common/lock_checks.h"
#include "common/log.h"
#include "worker/run_worker.h"
#include "worker/termination_signal.h"
#include "worker/worker_options.h"

using quire::WorkerOptions;

ABSL_FLAG(std::string, scheduler, WorkerOptions().scheduler,
          "Where the scheduler listens for workers: HOST:PORT or unix:PATH.");
ABSL_FLAG(std::string, model, WorkerOptions().model,
          "A GGUF file or a Hugging Face folder; the scheduler's must be the "
          "same. Required.");
ABSL_FLAG(int, rank, WorkerOptions().rank, "This worker's place in its group.");
ABSL_FLAG(
    int, world_size, WorkerOptions().world_size,
    "Ranks of the group, which divide the model: 1 to 64. The same on all "
    "and on the scheduler.");
ABSL_FLAG(std::string, communicator, WorkerOptions().communicator,
          "How several ranks exchange what they compute: shm (shared memory, "
          "all ranks on one machine) or gloo (TCP).");
ABSL_FLAG(std::string, communicator_host, WorkerOptions().communicator_host,
          "For gloo: a name or address of this machine at which other ranks "
          "reach it. There is no authentication.");
ABSL_FLAG(absl::Duration, collective_timeout,
          WorkerOptions().collective_timeout,
          "For other ranks to come within a step before this one gives up.");
ABSL_FLAG(bool, check_agreement, WorkerOptions().check_agreement,
          "For tests: ranks compare in every step what they compute.");
ABSL_FLAG(int, threads, WorkerOptions().threads,
          "Threads that compute; 0: as many as affinity and control group "
          "allow, divided among ranks that share memory.");
ABSL_FLAG(std::string, compute, WorkerOptions().compute,
          "auto: fast, in low precision; f32: exact weights, everything in "
          "float32.");
ABSL_FLAG(std::string, kv_dtype, WorkerOptions().kv_dtype,
          "What keys and values are kept in: f32, bf16, or auto, which is f32 "
          "where --compute=f32 and else bf16.");
ABSL_FLAG(std::string, kv_cache_memory, WorkerOptions().kv_cache_memory,
          "Memory for the KV cache, such as 512MiB or 2GiB; auto: most of what "
          "the machine or the control group has left.");
ABSL_FLAG(std::string, host_kv_memory, WorkerOptions().host_kv_memory,
          "Memory for host blocks, where the KV of preempted sequences waits; "
          "0: none, it is computed again; auto: a quarter of what the KV cache "
          "gets, less where memory does not suffice.");
ABSL_FLAG(std::string, instruction_set, WorkerOptions().instruction_set,
          "scalar, avx2, avx512 or amx; auto: the best there is.");

namespace {

constexpr char kUsage[] =
    R"(quire-worker holds a model's weights and its KV cache, and computes.

It dials the scheduler, executes the steps it is sent, and dials again whenever
the connection ends; the weights stay loaded. SIGTERM or SIGINT ends it.

  quire-worker --model=FILE_OR_FOLDER [--scheduler=HOST:PORT]
)";

quire::FlagProgram Program() {
  return {.name = "quire-worker",
          .usage = kUsage,
          .flags = {"model", "scheduler", "kv_cache_memory", "host_kv_memory",
                    "threads", "compute", "kv_dtype", "instruction_set", "rank",
                    "world_size", "communicator", "communicator_host",
                    "collective_timeout", "check_agreement"}};
}

WorkerOptions OptionsFromFlags() {
  return {.scheduler = absl::GetFlag(FLAGS_scheduler),
          .model = absl::GetFlag(FLAGS_model),
          .rank = absl::GetFlag(FLAGS_rank),
          .world_size = absl::GetFlag(FLAGS_world_size),
          .communicator = absl::GetFlag(FLAGS_communicator),
          .communicator_host = absl::GetFlag(FLAGS_communicator_host),
          .collective_timeout = absl::GetFlag(FLAGS_collective_timeout),
          .check_agreement = absl::GetFlag(FLAGS_check_agreement),
          .threads = absl::GetFlag(FLAGS_threads),
          .compute = absl::GetFlag(FLAGS_compute),
          .kv_dtype = absl::GetFlag(FLAGS_kv_dtype),
          .kv_cache_memory = absl::GetFlag(FLAGS_kv_cache_memory),
          .host_kv_memory = absl::GetFlag(FLAGS_host_kv_memory),
          .instruction_set = absl::GetFlag(FLAGS_instruction_set)};
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<int> ended =
      quire::TakeCommandLine(Program(), argc, argv);
  if (ended.has_value()) return *ended;
  const WorkerOptions options = OptionsFromFlags();
  quire::LeaveLockChecksToTests();
  quire::SetLogName("worker " + std::to_string(options.rank));
  quire::TerminationSignal signal;
  const absl::Status status = quire::RunWorker(options, &signal);
  if (status.ok()) return 0;
  const std::string text(status.message());
  std::fprintf(stderr, "quire-worker: %s\n", text.c_str());
  return 1;
}
