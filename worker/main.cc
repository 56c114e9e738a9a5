#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/status/status.h"
#include "common/log.h"
#include "worker/run_worker.h"
#include "worker/termination_signal.h"
#include "worker/worker_options.h"

using quire::WorkerOptions;

ABSL_FLAG(std::string, scheduler, WorkerOptions().scheduler,
          "where the scheduler listens for workers: HOST:PORT or unix:PATH");
ABSL_FLAG(std::string, model, WorkerOptions().model,
          "a GGUF file or a Hugging Face folder");
ABSL_FLAG(int, rank, WorkerOptions().rank, "this worker's place in its group");
ABSL_FLAG(int, world_size, WorkerOptions().world_size, "ranks of the group");
ABSL_FLAG(int, threads, WorkerOptions().threads,
          "0: as many as affinity and control group allow");
ABSL_FLAG(std::string, compute, WorkerOptions().compute,
          "auto: fast, in low precision; f32: exact");
ABSL_FLAG(std::string, kv_dtype, WorkerOptions().kv_dtype, "auto, f32 or bf16");
ABSL_FLAG(std::string, kv_cache_memory, WorkerOptions().kv_cache_memory,
          "auto, or a size such as 2GiB");
ABSL_FLAG(std::string, instruction_set, WorkerOptions().instruction_set,
          "auto, scalar, avx2 or avx512");

namespace {

constexpr char kHelp[] =
    R"(quire-worker holds a model's weights and its KV cache, and computes.

It dials the scheduler, executes the steps it is sent, and dials again whenever
the connection ends; the weights stay loaded. SIGTERM or SIGINT ends it.

  quire-worker --model=FILE_OR_FOLDER [--scheduler=HOST:PORT]

  --model            a GGUF file or a Hugging Face folder; the scheduler's must
                     be the same
  --scheduler        where the scheduler listens for workers: HOST:PORT or
                     unix:PATH (127.0.0.1:8301)
  --kv_cache_memory  memory for the KV cache, such as 512MiB or 2GiB (auto: most
                     of what the machine or the control group has left)
  --threads          threads that compute (0: as many as affinity and control
                     group allow)
  --compute          auto: fast, in low precision; f32: exact weights,
                     everything in float32 (auto)
  --kv_dtype         what keys and values are kept in: f32, bf16 (auto: f32
                     where --compute=f32, else bf16)
  --instruction_set  scalar, avx2, avx512 (auto: the best there is)
  --rank             this worker's place in its group (0)
  --world_size       ranks of the group (1, the only value today)
)";

bool WantsHelp(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--help" || argument == "-help" || argument == "-h") {
      return true;
    }
  }
  return false;
}

WorkerOptions OptionsFromFlags() {
  return {.scheduler = absl::GetFlag(FLAGS_scheduler),
          .model = absl::GetFlag(FLAGS_model),
          .rank = absl::GetFlag(FLAGS_rank),
          .world_size = absl::GetFlag(FLAGS_world_size),
          .threads = absl::GetFlag(FLAGS_threads),
          .compute = absl::GetFlag(FLAGS_compute),
          .kv_dtype = absl::GetFlag(FLAGS_kv_dtype),
          .kv_cache_memory = absl::GetFlag(FLAGS_kv_cache_memory),
          .instruction_set = absl::GetFlag(FLAGS_instruction_set)};
}

}  // namespace

int main(int argc, char** argv) {
  if (WantsHelp(argc, argv)) {
    std::fputs(kHelp, stdout);
    return 0;
  }
  const std::vector<char*> rest = absl::ParseCommandLine(argc, argv);
  if (rest.size() > 1) {
    std::fprintf(stderr, "quire-worker: \"%s\" is no flag; see --help\n",
                 rest[1]);
    return 1;
  }
  const WorkerOptions options = OptionsFromFlags();
  quire::SetLogName("worker " + std::to_string(options.rank));
  quire::TerminationSignal signal;
  const absl::Status status = quire::RunWorker(options, &signal);
  if (status.ok()) return 0;
  const std::string text(status.message());
  std::fprintf(stderr, "quire-worker: %s\n", text.c_str());
  return 1;
}
