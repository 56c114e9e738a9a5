#include "worker/worker_options.h"

#include <cstdint>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/ids.h"
#include "common/status_macros.h"
#include "common/strings.h"
#include "kernels/instruction_set.h"
#include "worker/executor/memory_budget.h"

namespace quire {
namespace {

constexpr int kMaxThreads = 1024;
constexpr int kMaxWorldSize = 64;

template <typename T>
absl::Status Invalid(const char* flag, const T& value, const char* limit) {
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, " is \"", value, "\", must be ", limit));
}

absl::Status NameFlag(const char* flag, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag, ": ", status.message()));
}

bool IsAddress(absl::string_view address) {
  constexpr size_t kMaxSocketPath = 107;  // The kernel's own limit.
  if (absl::ConsumePrefix(&address, "unix:")) {
    return !address.empty() && address.size() <= kMaxSocketPath;
  }
  const size_t colon = address.rfind(':');
  int64_t port = 0;
  return colon != absl::string_view::npos && colon > 0 &&
         absl::SimpleAtoi(address.substr(colon + 1), &port) && port >= 1 &&
         port <= 65535;
}

absl::StatusOr<Compute> ParseCompute(const std::string& text) {
  if (text == "auto") return Compute::kAuto;
  if (text == "f32") return Compute::kF32;
  return Invalid("compute", text, "auto or f32");
}

absl::StatusOr<KvDtype> ParseKvDtype(const std::string& text, Compute compute) {
  const bool is_f32 = compute == Compute::kF32;
  if (text == "auto") return is_f32 ? KvDtype::kF32 : KvDtype::kBf16;
  if (text == "f32") return KvDtype::kF32;
  if (text == "bf16" && !is_f32) return KvDtype::kBf16;
  if (text == "bf16") {
    return Invalid("kv_dtype", text, "f32 or auto where --compute is f32");
  }
  return Invalid("kv_dtype", text, "auto, f32 or bf16");
}

absl::StatusOr<CommunicatorKind> ParseCommunicator(const std::string& text) {
  for (const CommunicatorKind kind :
       {CommunicatorKind::kSharedMemory, CommunicatorKind::kGloo}) {
    if (text == CommunicatorName(kind)) return kind;
  }
  return Invalid("communicator", text, "shm or gloo");
}

absl::Status ValidateGroup(const WorkerOptions& options) {
  if (options.world_size < 1 || options.world_size > kMaxWorldSize) {
    return Invalid("world_size", options.world_size, "1 to 64");
  }
  if (options.rank < 0 || options.rank >= options.world_size) {
    return Invalid("rank", options.rank, "0 to one less than --world_size");
  }
  if (options.communicator_host.empty()) {
    return Invalid("communicator_host", options.communicator_host,
                   "a name or address of this machine");
  }
  if (options.collective_timeout < absl::Milliseconds(100) ||
      options.collective_timeout > absl::Hours(24)) {
    return Invalid("collective_timeout",
                   absl::FormatDuration(options.collective_timeout),
                   "100ms to 24h");
  }
  return ParseCommunicator(options.communicator).status();
}

absl::StatusOr<InstructionSet> ParseInstructionSet(const std::string& text) {
  if (text == "auto") return BestInstructionSet();
  const std::optional<InstructionSet> set = InstructionSetNamed(text);
  if (!set.has_value()) {
    return Invalid("instruction_set", text,
                   "auto, scalar, avx2, avx512 or amx");
  }
  if (IsSupported(*set)) return *set;
  return absl::FailedPreconditionError(absl::StrCat(
      "--instruction_set is \"", text, "\", which this machine lacks; it has ",
      ToAbsl(InstructionSetName(BestInstructionSet()))));
}

}  // namespace

absl::Status WorkerOptions::Validate() const {
  if (model.empty()) {
    return absl::InvalidArgumentError(
        "--model is missing: name a GGUF file or a Hugging Face folder");
  }
  if (!IsAddress(scheduler)) {
    return Invalid("scheduler", scheduler,
                   "HOST:PORT or unix:PATH of at most 107 bytes");
  }
  QUIRE_RETURN_IF_ERROR(ValidateGroup(*this));
  if (threads < 0 || threads > kMaxThreads) {
    return Invalid("threads", threads, "0 (automatic) to 1024");
  }
  if (kv_cache_memory != "auto") {
    QUIRE_RETURN_IF_ERROR(
        NameFlag("kv_cache_memory", ParseBytes(kv_cache_memory).status()));
  }
  if (host_kv_memory != "auto") {
    QUIRE_RETURN_IF_ERROR(
        NameFlag("host_kv_memory", ParseBytesOrNone(host_kv_memory).status()));
  }
  return ToModelOptions(*this).status();
}

absl::StatusOr<ModelOptions> ToModelOptions(const WorkerOptions& options) {
  ModelOptions model_options;
  QUIRE_ASSIGN_OR_RETURN(model_options.compute, ParseCompute(options.compute));
  QUIRE_ASSIGN_OR_RETURN(model_options.kv_dtype,
                         ParseKvDtype(options.kv_dtype, model_options.compute));
  QUIRE_ASSIGN_OR_RETURN(model_options.instruction_set,
                         ParseInstructionSet(options.instruction_set));
  model_options.phase_times = options.phase_times;
  return model_options;
}

absl::StatusOr<CommunicatorOptions> ToCommunicatorOptions(
    const WorkerOptions& options) {
  QUIRE_ASSIGN_OR_RETURN(const CommunicatorKind kind,
                         ParseCommunicator(options.communicator));
  return CommunicatorOptions{.kind = kind,
                             .rank = Rank(static_cast<uint32_t>(options.rank)),
                             .num_ranks = options.world_size,
                             .deadline = options.collective_timeout,
                             .host = options.communicator_host};
}

const char* KvDtypeName(KvDtype kv_dtype) {
  return kv_dtype == KvDtype::kF32 ? "f32" : "bf16";
}

const char* ComputeName(Compute compute) {
  return compute == Compute::kF32 ? "f32" : "auto";
}

}  // namespace quire
