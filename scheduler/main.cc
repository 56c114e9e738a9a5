// The scheduler: plans the steps of the workers that dial it and serves the
// public API. See scheduler/server.h.

#include <cstdint>
#include <string>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/flags/usage.h"
#include "absl/time/time.h"
#include "scheduler/serve.h"

ABSL_FLAG(std::string, model, "", "GGUF file or Hugging Face folder");
ABSL_FLAG(std::string, listen, quire::ServerOptions().listen,
          "where the public API listens: host:port or unix:path; 0.0.0.0:8300 "
          "opens it to other machines, without authentication");
ABSL_FLAG(std::string, worker_listen, quire::ServerOptions().worker_listen,
          "where workers dial: host:port or unix:path; 0.0.0.0:8301 lets those "
          "of other machines in, without authentication");
ABSL_FLAG(
    std::string, admin_listen, quire::ServerOptions().admin_listen,
    "where /metrics, /livez and /readyz are: host:port; 0.0.0.0:8302 shows "
    "them to other machines");
ABSL_FLAG(uint32_t, block_size, quire::ServerOptions().block_size,
          "slots of a block of the KV cache");
ABSL_FLAG(uint32_t, num_blocks, quire::ServerOptions().num_blocks,
          "limit of blocks; 0 = as many as the workers have memory for");
ABSL_FLAG(uint32_t, world_size, quire::ServerOptions().world_size,
          "workers that together hold one copy of the model");
ABSL_FLAG(absl::Duration, step_timeout, quire::ServerOptions().step_timeout,
          "for a worker to answer a step before it counts as hung");
ABSL_FLAG(absl::Duration, drain_limit, quire::ServerOptions().drain_limit,
          "for open requests to finish after SIGTERM");
ABSL_FLAG(uint32_t, max_step_tokens, quire::EngineOptions().max_step_tokens,
          "rows of a step");
ABSL_FLAG(uint32_t, max_running_sequences,
          quire::EngineOptions().max_running_sequences,
          "sequences that take part in steps at the same time");
ABSL_FLAG(uint32_t, max_waiting_requests,
          quire::EngineOptions().max_waiting_requests,
          "requests in the queue, beyond which new ones are refused");
ABSL_FLAG(uint64_t, max_waiting_tokens,
          quire::EngineOptions().max_waiting_tokens,
          "prompt tokens in the queue, beyond which new ones are refused");
ABSL_FLAG(uint32_t, pipeline_depth, quire::EngineOptions().pipeline_depth,
          "plans in flight: 1, or 2 to plan a step while one executes");
ABSL_FLAG(bool, check_consistency, false,
          "check the block accounts after every step and abort on a fault");
ABSL_FLAG(uint64_t, shuffle_free_blocks_seed,
          quire::EngineOptions().shuffle_free_blocks_seed,
          "for tests: not 0 hands out free blocks in random order");

namespace {

quire::ServerOptions OptionsFromFlags() {
  quire::ServerOptions options;
  options.model = absl::GetFlag(FLAGS_model);
  options.listen = absl::GetFlag(FLAGS_listen);
  options.worker_listen = absl::GetFlag(FLAGS_worker_listen);
  options.admin_listen = absl::GetFlag(FLAGS_admin_listen);
  options.block_size = absl::GetFlag(FLAGS_block_size);
  options.num_blocks = absl::GetFlag(FLAGS_num_blocks);
  options.world_size = absl::GetFlag(FLAGS_world_size);
  options.step_timeout = absl::GetFlag(FLAGS_step_timeout);
  options.drain_limit = absl::GetFlag(FLAGS_drain_limit);
  options.engine.max_step_tokens = absl::GetFlag(FLAGS_max_step_tokens);
  options.engine.max_running_sequences =
      absl::GetFlag(FLAGS_max_running_sequences);
  options.engine.max_waiting_requests =
      absl::GetFlag(FLAGS_max_waiting_requests);
  options.engine.max_waiting_tokens = absl::GetFlag(FLAGS_max_waiting_tokens);
  options.engine.pipeline_depth = absl::GetFlag(FLAGS_pipeline_depth);
  options.engine.check_consistency_every_step =
      absl::GetFlag(FLAGS_check_consistency);
  options.engine.shuffle_free_blocks_seed =
      absl::GetFlag(FLAGS_shuffle_free_blocks_seed);
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  absl::SetProgramUsageMessage(
      "serves a large language model; workers dial it and do the computing");
  absl::ParseCommandLine(argc, argv);
  return quire::Serve(OptionsFromFlags());
}
