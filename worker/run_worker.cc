#include "worker/run_worker.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/clock.h"
#include "common/log.h"
#include "common/modelfile/model_files.h"
#include "common/status_macros.h"
#include "common/strings.h"
#include "quire/worker/v1/attach.pb.h"
#include "worker/comm/communicator.h"
#include "worker/comm/make_communicator.h"
#include "worker/executor/cpu_budget.h"
#include "worker/executor/executor.h"
#include "worker/executor/memory_budget.h"
#include "worker/executor/thread_pool.h"
#include "worker/link/scheduler_link.h"
#include "worker/model/load_model.h"
#include "worker/model/model.h"

namespace quire {
namespace {

constexpr char kSystemRoot[] = "";

// What this rank tells the scheduler about itself.
worker::v1::Hello MakeHello(const WorkerOptions& options,
                            const ModelOptions& model_options,
                            const ModelFiles& files, const Model& model,
                            const Communicator& communicator,
                            const ExecutorOptions& limits) {
  worker::v1::Hello hello;
  hello.set_protocol_version(1);
  hello.set_model_fingerprint(files.fingerprint());
  hello.set_rank(options.rank);
  hello.set_world_size(options.world_size);
  hello.set_kv_dtype(KvDtypeName(model_options.kv_dtype));
  hello.set_compute(ComputeName(model_options.compute));
  hello.set_instruction_set(
      std::string(InstructionSetName(model_options.instruction_set)));
  hello.set_bytes_per_slot(model.bytes_per_slot());
  hello.set_kv_cache_bytes(limits.kv_cache_bytes);
  hello.set_host_kv_bytes(limits.host_kv_bytes);
  hello.set_block_size_multiple(model.block_size_multiple());
  hello.set_cheap_rows(static_cast<uint32_t>(model.num_cheap_rows()));
  hello.set_max_step_rows(limits.max_step_rows);
  hello.set_process_id(getpid());
  if (options.world_size > 1) {
    hello.set_communicator(options.communicator);
    hello.set_rendezvous(communicator.rendezvous());
  }
  return hello;
}

void LogLoaded(const ModelFiles& files, const worker::v1::Hello& hello,
               int64_t weight_bytes, int num_threads) {
  LogInfo(absl::StrFormat(
      "%s: %.1fM parameters, rank %d of %d with %.1f MiB of weights, compute "
      "%s on %s, %d threads; KV in %s, up to %.2f GiB and %.2f GiB of host "
      "blocks, %d bytes a token",
      files.name(), static_cast<double>(files.num_parameters()) / 1e6,
      hello.rank(), hello.world_size(),
      static_cast<double>(weight_bytes) / 0x1p20, hello.compute(),
      hello.instruction_set(), num_threads, hello.kv_dtype(),
      static_cast<double>(hello.kv_cache_bytes()) / 0x1p30,
      static_cast<double>(hello.host_kv_bytes()) / 0x1p30,
      hello.bytes_per_slot()));
}

// Ranks that share this machine's processors and memory.
int NumRanksHere(const CommunicatorOptions& options) {
  return options.kind == CommunicatorKind::kSharedMemory ? options.num_ranks
                                                         : 1;
}

}  // namespace

absl::Status RunWorker(const WorkerOptions& options,
                       TerminationSignal* signal) {
  QUIRE_RETURN_IF_ERROR(options.Validate());
  QUIRE_ASSIGN_OR_RETURN(const ModelOptions model_options,
                         ToModelOptions(options));
  QUIRE_ASSIGN_OR_RETURN(const std::unique_ptr<ModelFiles> files,
                         ModelFiles::Open(options.model));
  QUIRE_ASSIGN_OR_RETURN(CommunicatorOptions communicator_options,
                         ToCommunicatorOptions(options));
  const int num_ranks_here = NumRanksHere(communicator_options);
  const int num_processors = DefaultNumThreads(kSystemRoot);
  const int num_threads =
      options.threads > 0
          ? options.threads
          : ThreadsOfRank(num_processors, options.rank, num_ranks_here);
  communicator_options.spins = num_ranks_here * num_threads <= num_processors;
  QUIRE_ASSIGN_OR_RETURN(const std::unique_ptr<Communicator> communicator,
                         MakeCommunicator(communicator_options));
  ThreadPool pool(num_threads);
  QUIRE_ASSIGN_OR_RETURN(
      const std::unique_ptr<Model> model,
      LoadModel(*files, model_options, &pool, communicator.get()));
  QUIRE_ASSIGN_OR_RETURN(const MemoryBudget budget,
                         PlanMemory({.kv_cache = options.kv_cache_memory,
                                     .host_kv = options.host_kv_memory,
                                     .num_ranks_here = num_ranks_here},
                                    kSystemRoot));
  const int64_t max_bytes = kMaxCacheSlots * model->bytes_per_slot();
  const ExecutorOptions limits = {
      .kv_cache_bytes = std::min(budget.kv_cache_bytes, max_bytes),
      .host_kv_bytes = std::min(budget.host_kv_bytes, max_bytes),
      .resident_kv_bytes = budget.resident_kv_bytes,
      .max_step_rows = MaxStepRows(model->config(), budget.activation_bytes),
      .checks_agreement = options.check_agreement};
  const worker::v1::Hello hello =
      MakeHello(options, model_options, *files, *model, *communicator, limits);
  LogLoaded(*files, hello, model->weight_bytes(), num_threads);

  const SystemClock clock;
  Executor executor(model.get(), &pool, communicator.get(), &clock, limits);
  SchedulerLink link({.address = options.scheduler,
                      .redial = {},
                      .jitter_seed = std::random_device()()},
                     hello, &executor);
  signal->SetHandler([&link] { link.Stop(); });
  link.Run();
  signal->SetHandler(nullptr);
  return absl::OkStatus();
}

}  // namespace quire
