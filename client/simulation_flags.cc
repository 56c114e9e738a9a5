#include "client/simulation_flags.h"

#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <utility>

#include "absl/flags/declare.h"
#include "absl/flags/flag.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/command_line_error.h"
#include "client/trace_file.h"
#include "common/check_range.h"
#include "common/modelfile/error_text.h"
#include "common/modelfile/folder_config.h"
#include "common/status_macros.h"
#include "scheduler/sim/machine.h"
#include "scheduler/sim/model_shape.h"
#include "scheduler/sim/trace.h"

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
ABSL_FLAG(uint32_t, devices, 0,
          "So many of that machine hold one copy of the model. 0 = the model's "
          "own, or 1.");
ABSL_FLAG(uint64_t, device_memory, 0,
          "Bytes of each device that weights and KV cache share.");
ABSL_FLAG(uint64_t, kv_memory, 0, "Bytes of the KV cache.");
ABSL_FLAG(uint64_t, num_slots, 0,
          "Tokens that the KV cache holds. Without this and the two before: as "
          "the model's own.");
ABSL_FLAG(std::string, trace, "sharegpt",
          "sharegpt, alpaca, orca, shared_prefix, chat, or a .jsonl file.");
ABSL_FLAG(std::optional<double>, rate, std::nullopt,
          "Requests a second, at random moments; of a recorded trace: its gaps "
          "are stretched. Without it: 1, or as recorded.");
ABSL_FLAG(std::optional<uint32_t>, requests, std::nullopt,
          "Requests of the trace. Without it: 1000.");
ABSL_FLAG(std::optional<double>, mean_prompt, std::nullopt,
          "Tokens of a prompt, on average, beside what it shares. Without it: "
          "as the trace's data set has them.");
ABSL_FLAG(std::optional<double>, mean_output, std::nullopt,
          "Tokens of an answer, on average. Without it: as the trace's data "
          "set has them.");
ABSL_FLAG(std::optional<uint32_t>, prefix_tokens, std::nullopt,
          "Of shared_prefix: tokens that all prompts begin with. Without it: "
          "341.");
ABSL_FLAG(std::optional<uint32_t>, sequences, std::nullopt,
          "Sequences of each request: samples, or beams. Without it: 1.");
ABSL_FLAG(bool, beam_search, false,
          "The sequences of a request are the beams of a search.");
ABSL_FLAG(quire::ServingPolicy, policy, quire::ServingPolicy::kPaged,
          "Who serves: paged, static, orca_max, orca_pow2 or orca_oracle.");
ABSL_FLAG(uint32_t, block_size, 16, "Slots of a block of the KV cache.");
ABSL_FLAG(uint32_t, host_blocks, 0,
          "Host blocks, to which preempted requests are swapped out.");
ABSL_FLAG(quire::PreemptionMode, preemption, quire::EngineOptions().preemption,
          "What becomes of the tokens of a preempted request: recompute, swap, "
          "or auto.");
ABSL_FLAG(uint32_t, max_step_tokens, 2048,
          "Rows of a step, and sequences that run at once, at most.");
ABSL_FLAG(uint32_t, pipeline_depth, quire::EngineOptions().pipeline_depth,
          "Plans in flight: 1, or 2 to plan a step while one executes.");
ABSL_FLAG(quire::AdmissionMode, admission, quire::EngineOptions().admission,
          "Memory that a request must find before it starts: first_chunk, "
          "full_prompt or worst_case.");
ABSL_FLAG(bool, prefix_cache, quire::EngineOptions().prefix_cache,
          "Keeps blocks after use and finds them again for equal prompts.");

namespace quire {
namespace {

absl::Status CannotRead(const std::string& path) {
  return absl::NotFoundError(
      absl::StrCat(path, ": cannot be read: ", std::strerror(errno)));
}

absl::StatusOr<std::string> ReadWholeFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  // Of an empty file nothing can be moved, which is no error.
  if (file.is_open() && file.peek() == EOF && !file.bad()) return text.str();
  if (!file || !(text << file.rdbuf())) return CannotRead(path);
  return text.str();
}

absl::StatusOr<Trace> RecordedTrace(const std::string& path) {
  std::ifstream file(path);
  if (!file) return CannotRead(path);
  absl::StatusOr<Trace> trace = ReadTrace(file);
  if (trace.ok()) return trace;
  return absl::Status(trace.status().code(),
                      absl::StrCat(path, ": ", trace.status().message()));
}

// A flag of what a trace is like, which not every trace leaves open.
struct TraceFlag {
  const char* name;
  bool is_given;
  bool applies;
};

// Names a flag that would be ignored. `shape`: absent of a recorded trace.
absl::Status CheckGivenFlagsApply(std::optional<TraceShape> shape) {
  const bool is_made = shape.has_value();
  const bool has_means = is_made && shape != TraceShape::kOrca;
  const TraceFlag flags[] = {
      {"requests", absl::GetFlag(FLAGS_requests).has_value(), is_made},
      {"mean_prompt", absl::GetFlag(FLAGS_mean_prompt).has_value(), has_means},
      {"mean_output", absl::GetFlag(FLAGS_mean_output).has_value(), has_means},
      {"prefix_tokens", absl::GetFlag(FLAGS_prefix_tokens).has_value(),
       shape == TraceShape::kSharedPrefix},
      {"sequences", absl::GetFlag(FLAGS_sequences).has_value(), is_made},
      {"beam_search", absl::GetFlag(FLAGS_beam_search), is_made},
      {"seed", absl::GetFlag(FLAGS_seed).has_value(), is_made}};
  for (const TraceFlag& flag : flags) {
    if (!flag.is_given || flag.applies) continue;
    return CommandLineError(absl::StrCat(
        "--", flag.name,
        " does not apply to --trace=", absl::GetFlag(FLAGS_trace)));
  }
  return absl::OkStatus();
}

absl::StatusOr<OfferedLoad> RecordedLoad(const std::string& path) {
  QUIRE_ASSIGN_OR_RETURN(Trace trace, RecordedTrace(path));
  OfferedLoad load = OfferedLoad::Recorded(std::move(trace));
  const std::optional<double> rate = absl::GetFlag(FLAGS_rate);
  if (!rate.has_value()) return load;
  QUIRE_RETURN_IF_ERROR(CheckRate(*rate));
  if (!std::isfinite(load.rate())) {
    return absl::InvalidArgumentError(absl::StrCat(
        path, ": all requests arrive at once, which --rate cannot stretch"));
  }
  return OfferedLoad::Recorded(load.At(*rate, /*seed=*/0));
}

absl::StatusOr<ModelShape> NamedShape() {
  const std::string name = absl::GetFlag(FLAGS_model_shape);
  if (!absl::StrContains(name, '/')) return FindModelShape(name);
  QUIRE_ASSIGN_OR_RETURN(const ModelConfig config, ReadFolderConfig(name));
  absl::StatusOr<ModelShape> shape = ShapeOf(config, /*bytes_per_element=*/2);
  if (shape.ok()) return shape;
  return InFile(name + "/config.json", shape.status());
}

absl::Status SizeKvCache(ModelShape& shape) {
  const uint64_t device_memory = absl::GetFlag(FLAGS_device_memory);
  const uint64_t kv_memory = absl::GetFlag(FLAGS_kv_memory);
  const uint64_t num_slots = absl::GetFlag(FLAGS_num_slots);
  if ((device_memory > 0) + (kv_memory > 0) + (num_slots > 0) > 1) {
    return absl::InvalidArgumentError(
        "--device_memory, --kv_memory and --num_slots say the same: give one");
  }
  if (device_memory > 0) return shape.FillDevices(device_memory);
  if (kv_memory > 0) shape.num_slots = kv_memory / shape.bytes_per_slot();
  if (num_slots > 0) shape.num_slots = num_slots;
  return absl::OkStatus();
}

// Names the flag that makes the cache too small or too large, or that is
// missing: the number of slots may be nobody's flag.
absl::Status CheckMemoryFlags(const RunOptions& options) {
  QUIRE_RETURN_IF_ERROR(
      CheckRange("block_size", options.block_size, 1, kMaxSimulatedBlockSize));
  const ModelShape& shape = options.shape;
  const uint64_t least = options.block_size * shape.bytes_per_slot();
  const uint64_t most = options.most_slots() * shape.bytes_per_slot();
  if (const uint64_t bytes = absl::GetFlag(FLAGS_kv_memory); bytes > 0) {
    return CheckRange("kv_memory", bytes, least, most);
  }
  if (const uint64_t bytes = absl::GetFlag(FLAGS_device_memory); bytes > 0) {
    const uint64_t weights = shape.weight_bytes();
    const uint64_t devices = shape.num_devices;
    return CheckRange("device_memory", bytes,
                      (weights + least + devices - 1) / devices,
                      (weights + most) / devices);
  }
  if (shape.num_slots > 0) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "--device_memory, --kv_memory or --num_slots must say how large the KV "
      "cache of this model is");
}

absl::StatusOr<ModelShape> ShapeFromFlags() {
  QUIRE_ASSIGN_OR_RETURN(ModelShape shape, NamedShape());
  const uint32_t devices = absl::GetFlag(FLAGS_devices);
  if (devices > 0) shape.num_devices = devices;
  QUIRE_RETURN_IF_ERROR(CheckRange("devices", shape.num_devices, 1, 1024));
  QUIRE_RETURN_IF_ERROR(SizeKvCache(shape));
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

}  // namespace

std::vector<std::string> WithSimulationFlags(std::vector<std::string> own) {
  std::vector<std::string> flags = {
      "model_shape",   "machine",     "machine_file",    "devices",
      "device_memory", "kv_memory",   "num_slots",       "trace",
      "rate",          "requests",    "mean_prompt",     "mean_output",
      "prefix_tokens", "sequences",   "beam_search",     "seed",
      "policy",        "block_size",  "max_step_tokens", "pipeline_depth",
      "admission",     "host_blocks", "preemption",      "prefix_cache"};
  flags.insert(flags.end(), own.begin(), own.end());
  flags.emplace_back("json");
  return flags;
}

std::string SimulationFlagsHelp() {
  return R"(How long a step takes is computed from scheduler/sim/machines.inc, which says
where each value is from. Beside this project's scheduler, paged, a policy is
what it is compared with: a static batch, or Orca's with three ways to reserve.

--trace=FILE.jsonl has a line for each request:

  {"arrival_s": 0.5, "prompt_tokens": 161, "output_tokens": 338}

or what quire bench plays. "n" is its number of sequences; the first
"shared_tokens" of its prompt are those of every other request of its "group".
Of the flags that say what a trace is like, only --rate applies to it. Of other
traces the same --seed makes the same one; without it, 1.
)";
}

absl::StatusOr<RunOptions> RunOptionsFromFlags() {
  RunOptions options;
  options.policy = absl::GetFlag(FLAGS_policy);
  QUIRE_ASSIGN_OR_RETURN(options.shape, ShapeFromFlags());
  QUIRE_ASSIGN_OR_RETURN(options.machine,
                         MachineFromFlags(options.shape.machine));
  options.block_size = absl::GetFlag(FLAGS_block_size);
  QUIRE_RETURN_IF_ERROR(CheckMemoryFlags(options));
  options.num_host_blocks = absl::GetFlag(FLAGS_host_blocks);
  options.engine = EngineForTraces(absl::GetFlag(FLAGS_max_step_tokens));
  options.engine.pipeline_depth = absl::GetFlag(FLAGS_pipeline_depth);
  options.engine.admission = absl::GetFlag(FLAGS_admission);
  options.engine.preemption = absl::GetFlag(FLAGS_preemption);
  options.engine.prefix_cache = absl::GetFlag(FLAGS_prefix_cache);
  QUIRE_RETURN_IF_ERROR(options.Validate());
  return options;
}

absl::StatusOr<OfferedLoad> LoadFromFlags(uint32_t context_length) {
  const std::string name = absl::GetFlag(FLAGS_trace);
  if (absl::EndsWith(name, ".jsonl")) {
    QUIRE_RETURN_IF_ERROR(CheckGivenFlagsApply(/*shape=*/std::nullopt));
    return RecordedLoad(name);
  }
  TraceOptions options;
  QUIRE_ASSIGN_OR_RETURN(options.shape, ParseTraceShape(name));
  QUIRE_RETURN_IF_ERROR(CheckGivenFlagsApply(options.shape));
  options.rate = absl::GetFlag(FLAGS_rate).value_or(1);
  options.num_requests =
      absl::GetFlag(FLAGS_requests).value_or(options.num_requests);
  options.context_length = context_length;
  options.num_sequences =
      absl::GetFlag(FLAGS_sequences).value_or(options.num_sequences);
  options.is_beam_search = absl::GetFlag(FLAGS_beam_search);
  options.prefix_tokens =
      absl::GetFlag(FLAGS_prefix_tokens).value_or(options.prefix_tokens);
  options.mean_prompt = absl::GetFlag(FLAGS_mean_prompt);
  options.mean_output = absl::GetFlag(FLAGS_mean_output);
  QUIRE_RETURN_IF_ERROR(options.Validate());
  return OfferedLoad::Modelled(options);
}

uint64_t SeedFromFlags() { return absl::GetFlag(FLAGS_seed).value_or(1); }

}  // namespace quire
