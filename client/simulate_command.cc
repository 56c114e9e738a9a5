#include "client/simulate_command.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "absl/flags/declare.h"
#include "absl/flags/flag.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/connection_flags.h"
#include "client/simulation_report.h"
#include "client/trace_file.h"
#include "common/check_range.h"
#include "common/modelfile/folder_config.h"
#include "common/status_macros.h"
#include "scheduler/sim/machine.h"
#include "scheduler/sim/model_shape.h"
#include "scheduler/sim/simulation_run.h"
#include "scheduler/sim/trace.h"

ABSL_DECLARE_FLAG(uint32_t, concurrency);
ABSL_DECLARE_FLAG(std::optional<uint64_t>, seed);

ABSL_FLAG(
    std::string, model_shape, "opt-13b",
    "opt-13b, opt-66b, opt-175b, llama-13b, or a folder with a config.json.");
ABSL_FLAG(std::string, machine, "",
          "What the model runs on: a100-40gb, a100-80gb, xeon-2-cores, or one "
          "of --machine_file. Without it: the model's own.");
ABSL_FLAG(std::string, machine_file, "",
          "Machines of your own, in the form of what stands between the first "
          "and the last line of scheduler/sim/machines.inc.");
ABSL_FLAG(uint64_t, kv_memory, 0,
          "Bytes of the KV cache. 0 = as --num_slots says.");
ABSL_FLAG(uint64_t, num_slots, 0,
          "Tokens that the KV cache holds. 0 = as the model's own.");
ABSL_FLAG(std::string, trace, "sharegpt",
          "sharegpt, alpaca, orca, shared_prefix, chat, or a .jsonl file.");
ABSL_FLAG(double, rate, 1, "Requests a second, at random moments.");
ABSL_FLAG(uint32_t, requests, 1000, "Requests of the trace.");
ABSL_FLAG(uint32_t, samples, 1, "Sequences of each request.");
ABSL_FLAG(std::string, policy, "paged",
          "Who serves: paged, static, orca_max, orca_pow2 or orca_oracle.");
ABSL_FLAG(uint32_t, block_size, 16, "Tokens of a block.");
ABSL_FLAG(uint32_t, host_blocks, 0,
          "Host blocks, to which preempted requests are swapped out.");
ABSL_FLAG(std::string, preemption, "auto",
          "What becomes of the tokens of a preempted request: auto, recompute "
          "or swap.");
ABSL_FLAG(uint32_t, max_step_tokens, 2048, "Rows of a step at most.");

namespace quire {
namespace {

constexpr char kDetails[] =
    R"(Turns this program's own scheduler on a virtual clock, before a modelled worker:
no server is asked and no weights are read. The other policies are what it is
compared with: a static batch, and Orca's with three ways to reserve. How long
a step takes is computed from scheduler/sim/machines.inc, which says where each
value is from.

--trace=FILE.jsonl has a line for each request:

  {"arrival_s": 0.5, "prompt_tokens": 161, "output_tokens": 338}

or what quire bench plays. The same --seed makes the same trace; without it, 1.
--concurrency keeps so many requests open, whatever their arrivals; no more
sequences run at once than --max_step_tokens.
)";

absl::StatusOr<std::string> ReadWholeFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    return absl::NotFoundError(
        absl::StrCat(path, ": cannot be read: ", std::strerror(errno)));
  }
  return text.str();
}

absl::StatusOr<Trace> RecordedTrace(const std::string& path) {
  std::ifstream file(path);
  if (!file) {
    return absl::NotFoundError(
        absl::StrCat(path, ": cannot be read: ", std::strerror(errno)));
  }
  absl::StatusOr<Trace> trace = ReadTrace(file);
  if (trace.ok()) return trace;
  return absl::Status(trace.status().code(),
                      absl::StrCat(path, ": ", trace.status().message()));
}

absl::StatusOr<Trace> TraceFromFlags(uint32_t context_length) {
  const std::string name = absl::GetFlag(FLAGS_trace);
  if (absl::EndsWith(name, ".jsonl")) return RecordedTrace(name);
  TraceOptions options;
  QUIRE_ASSIGN_OR_RETURN(options.shape, ParseTraceShape(name));
  options.rate = absl::GetFlag(FLAGS_rate);
  if (!(options.rate >= 1e-3 && options.rate <= 1e6)) {
    return absl::InvalidArgumentError(
        absl::StrCat("rate is ", options.rate, ", must be 0.001 to 1000000"));
  }
  options.num_requests = absl::GetFlag(FLAGS_requests);
  QUIRE_RETURN_IF_ERROR(
      CheckRange("requests", options.num_requests, 1, 1 << 20));
  options.num_sequences = absl::GetFlag(FLAGS_samples);
  QUIRE_RETURN_IF_ERROR(CheckRange("samples", options.num_sequences, 1, 1024));
  options.seed = absl::GetFlag(FLAGS_seed).value_or(1);
  QUIRE_RETURN_IF_ERROR(CheckRange("the model's context length", context_length,
                                   options.context_length,
                                   std::numeric_limits<uint32_t>::max()));
  return MakeTrace(options);
}

absl::StatusOr<ModelShape> NamedShape() {
  const std::string name = absl::GetFlag(FLAGS_model_shape);
  if (!absl::StrContains(name, '/')) return FindModelShape(name);
  QUIRE_ASSIGN_OR_RETURN(const ModelConfig config, ReadFolderConfig(name));
  return ShapeOf(config, /*bytes_per_element=*/2);
}

absl::StatusOr<ModelShape> ShapeFromFlags() {
  QUIRE_ASSIGN_OR_RETURN(ModelShape shape, NamedShape());
  const uint64_t kv_memory = absl::GetFlag(FLAGS_kv_memory);
  const uint64_t num_slots = absl::GetFlag(FLAGS_num_slots);
  if (kv_memory > 0 && num_slots > 0) {
    return absl::InvalidArgumentError(
        "--kv_memory and --num_slots say the same: give one");
  }
  if (kv_memory > 0) shape.num_slots = kv_memory / shape.bytes_per_slot();
  if (num_slots > 0) shape.num_slots = num_slots;
  if (!absl::GetFlag(FLAGS_machine).empty()) {
    shape.machine = absl::GetFlag(FLAGS_machine);
  }
  if (!shape.machine.empty()) return shape;
  return absl::InvalidArgumentError(
      "--machine must say what this model runs on");
}

absl::StatusOr<Machine> MachineFromFlags(const std::string& name) {
  const std::string path = absl::GetFlag(FLAGS_machine_file);
  if (path.empty()) return ParseMachine(KnownMachines(), name);
  QUIRE_ASSIGN_OR_RETURN(const std::string text, ReadWholeFile(path));
  return ParseMachine(text, name);
}

absl::StatusOr<RunOptions> RunOptionsFromFlags() {
  RunOptions options;
  QUIRE_ASSIGN_OR_RETURN(options.policy,
                         ParseServingPolicy(absl::GetFlag(FLAGS_policy)));
  QUIRE_ASSIGN_OR_RETURN(options.shape, ShapeFromFlags());
  QUIRE_ASSIGN_OR_RETURN(options.machine,
                         MachineFromFlags(options.shape.machine));
  options.block_size = absl::GetFlag(FLAGS_block_size);
  options.simulation.concurrency = absl::GetFlag(FLAGS_concurrency);
  options.num_host_blocks = absl::GetFlag(FLAGS_host_blocks);
  options.engine = EngineForTraces(absl::GetFlag(FLAGS_max_step_tokens));
  QUIRE_ASSIGN_OR_RETURN(options.engine.preemption,
                         ParsePreemptionMode(absl::GetFlag(FLAGS_preemption)));
  QUIRE_RETURN_IF_ERROR(options.Validate());
  return options;
}

absl::Status RunSimulateCommand(const std::vector<std::string>&,
                                Console& console) {
  QUIRE_ASSIGN_OR_RETURN(const RunOptions options, RunOptionsFromFlags());
  QUIRE_ASSIGN_OR_RETURN(const Trace trace,
                         TraceFromFlags(options.shape.context_length));
  const SimulationFigures figures = RunSimulation(trace, options);
  const bool paged = options.policy == ServingPolicy::kPaged;
  console.out << (JsonFromFlags() ? SimulationJson(figures, paged)
                                  : SimulationText(figures, paged));
  return absl::OkStatus();
}

}  // namespace

Command SimulateCommand() {
  return {
      "simulate",
      "",
      "plays a trace against a modelled worker and prints the figures",
      kDetails,
      {"model_shape", "machine", "machine_file", "kv_memory", "num_slots",
       "trace", "rate", "requests", "samples", "seed", "concurrency", "policy",
       "block_size", "host_blocks", "preemption", "max_step_tokens", "json"},
      RunSimulateCommand};
}

}  // namespace quire
