// The scheduler: plans the steps of the workers that dial it and serves the
// public API. See scheduler/server.h.

#include <cstdint>
#include <optional>
#include <string>

#include "absl/flags/flag.h"
#include "absl/time/time.h"
#include "common/command_flags.h"
#include "scheduler/policy/admission_mode.h"
#include "scheduler/policy/preemption.h"
#include "scheduler/serve.h"

ABSL_FLAG(std::string, model, "",
          "A GGUF file or a Hugging Face folder. Required.");
ABSL_FLAG(std::string, listen, quire::ServerOptions().listen,
          "Where the public API listens: HOST:PORT or unix:PATH; 0.0.0.0:8300 "
          "opens it to other machines, without authentication.");
ABSL_FLAG(std::string, worker_listen, quire::ServerOptions().worker_listen,
          "Where workers dial: HOST:PORT or unix:PATH; 0.0.0.0:8301 lets those "
          "of other machines in, without authentication.");
ABSL_FLAG(std::string, admin_listen, quire::ServerOptions().admin_listen,
          "Where /metrics, /livez and /readyz are: HOST:PORT; 0.0.0.0:8302 "
          "shows them to other machines.");
ABSL_FLAG(uint32_t, block_size, quire::ServerOptions().block_size,
          "Slots of a block of the KV cache.");
ABSL_FLAG(uint32_t, num_blocks, quire::ServerOptions().num_blocks,
          "Limit of blocks; 0: as many as the workers have memory for.");
ABSL_FLAG(uint32_t, world_size, quire::ServerOptions().world_size,
          "Workers that together hold one copy of the model; each is told the "
          "same number, and its rank.");
ABSL_FLAG(absl::Duration, step_timeout, quire::ServerOptions().step_timeout,
          "For a worker to answer a step before it counts as hung.");
ABSL_FLAG(absl::Duration, drain_limit, quire::ServerOptions().drain_limit,
          "For open requests to finish after SIGTERM.");
ABSL_FLAG(uint32_t, max_step_tokens, quire::EngineOptions().max_step_tokens,
          "Rows of a step.");
ABSL_FLAG(uint32_t, max_running_sequences,
          quire::EngineOptions().max_running_sequences,
          "Sequences that take part in steps at the same time.");
ABSL_FLAG(uint32_t, max_waiting_requests,
          quire::EngineOptions().max_waiting_requests,
          "Requests in the queue, beyond which new ones are refused.");
ABSL_FLAG(uint64_t, max_waiting_tokens,
          quire::EngineOptions().max_waiting_tokens,
          "Prompt tokens in the queue, beyond which new ones are refused.");
ABSL_FLAG(uint32_t, pipeline_depth, quire::EngineOptions().pipeline_depth,
          "Plans in flight: 1, or 2 to plan a step while one executes.");
ABSL_FLAG(
    uint32_t, draft_tokens, quire::EngineOptions().draft_tokens,
    "Tokens that are guessed from a sequence's own text and computed "
    "with the next one where a step has few rows, at most; 0: none, up to "
    "64. What is generated is the same.");
ABSL_FLAG(absl::Duration, priority_head_start,
          quire::EngineOptions().priority_head_start,
          "How much earlier than a normal request one of high priority counts "
          "as having arrived, and how much later one of low priority; inf: "
          "always before all lower ones.");
ABSL_FLAG(quire::AdmissionMode, admission, quire::EngineOptions().admission,
          "Memory that a request must find before it starts: first_chunk (its "
          "first rows: most run at once, some are preempted), full_prompt, or "
          "worst_case (up to max_tokens: nobody is ever preempted).");
ABSL_FLAG(
    quire::PreemptionMode, preemption, quire::EngineOptions().preemption,
    "What becomes of the tokens of a preempted request: recompute, swap "
    "(to the workers' --host_kv_memory, as far as there is room), or auto "
    "(the cheaper one, by what rows and swaps have taken).");
ABSL_FLAG(bool, prefix_cache, quire::EngineOptions().prefix_cache,
          "Keeps blocks after use and finds them again for equal prompts.");
ABSL_FLAG(bool, check_consistency, false,
          "Checks the block accounts after every step and aborts on a fault.");
ABSL_FLAG(uint64_t, shuffle_free_blocks_seed,
          quire::EngineOptions().shuffle_free_blocks_seed,
          "For tests: not 0 hands out free blocks in random order.");

namespace {

constexpr char kUsage[] =
    R"(quire-scheduler serves a large language model; it plans, workers compute.

Workers dial it at --worker_listen, clients at --listen. SIGTERM or SIGINT lets
open requests finish and ends it; a second one ends it at once.

  quire-scheduler --model=FILE_OR_FOLDER
)";

quire::FlagProgram Program() {
  return {.name = "quire-scheduler",
          .usage = kUsage,
          .flags = {"model",
                    "listen",
                    "worker_listen",
                    "admin_listen",
                    "block_size",
                    "num_blocks",
                    "world_size",
                    "step_timeout",
                    "drain_limit",
                    "max_step_tokens",
                    "max_running_sequences",
                    "max_waiting_requests",
                    "max_waiting_tokens",
                    "priority_head_start",
                    "pipeline_depth",
                    "draft_tokens",
                    "admission",
                    "preemption",
                    "prefix_cache",
                    "check_consistency",
                    "shuffle_free_blocks_seed"}};
}

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
  options.engine.priority_head_start = absl::GetFlag(FLAGS_priority_head_start);
  options.engine.pipeline_depth = absl::GetFlag(FLAGS_pipeline_depth);
  options.engine.draft_tokens = absl::GetFlag(FLAGS_draft_tokens);
  options.engine.admission = absl::GetFlag(FLAGS_admission);
  options.engine.preemption = absl::GetFlag(FLAGS_preemption);
  options.engine.prefix_cache = absl::GetFlag(FLAGS_prefix_cache);
  options.engine.check_consistency_every_step =
      absl::GetFlag(FLAGS_check_consistency);
  options.engine.shuffle_free_blocks_seed =
      absl::GetFlag(FLAGS_shuffle_free_blocks_seed);
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<int> ended =
      quire::TakeCommandLine(Program(), argc, argv);
  if (ended.has_value()) return *ended;
  return quire::Serve(OptionsFromFlags());
}
