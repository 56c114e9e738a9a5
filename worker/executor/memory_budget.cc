#include "worker/executor/memory_budget.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "common/status_macros.h"
#include "common/strings.h"
#include "worker/executor/control_group.h"

namespace quire {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr double kMaxBytes = 0x1p60;

// Of the line "MemAvailable:   23456 kB"; 0 where there is none.
int64_t MemAvailable(const std::string& root) {
  const std::string text = ReadSmallFile(root + "/proc/meminfo");
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    int64_t kib = 0;
    if (absl::ConsumePrefix(&line, "MemAvailable:") &&
        absl::ConsumeSuffix(&line, " kB") && absl::SimpleAtoi(line, &kib)) {
      return kib << 10;
    }
  }
  return 0;
}

int64_t ActivationBytes(int64_t room) {
  return std::clamp(room / 16, 64 * kMiB, 1024 * kMiB);
}

int64_t Room(const std::string& root) {
  const int64_t available = MemAvailable(root);
  const ControlGroupLimits limits = ReadControlGroupLimits(root);
  return std::min(available, limits.memory_room.value_or(available));
}

}  // namespace

absl::StatusOr<MemoryBudget> PlanMemory(const MemorySettings& settings,
                                        const std::string& root) {
  const int64_t room = Room(root) / settings.num_ranks_here;
  MemoryBudget budget;
  budget.activation_bytes = ActivationBytes(room);
  const int64_t head_room = std::max(room / 8, 256 * kMiB);
  const int64_t kv_bytes = room - budget.activation_bytes - head_room;
  const bool sizes_host_blocks = settings.host_kv == "auto";
  if (!sizes_host_blocks) {
    QUIRE_ASSIGN_OR_RETURN(budget.host_kv_bytes,
                           ParseBytesOrNone(settings.host_kv));
  }
  if (settings.kv_cache != "auto") {
    QUIRE_ASSIGN_OR_RETURN(budget.kv_cache_bytes,
                           ParseBytes(settings.kv_cache));
  } else {
    budget.kv_cache_bytes =
        kv_bytes - (sizes_host_blocks ? kv_bytes / 5 : budget.host_kv_bytes);
  }
  if (budget.kv_cache_bytes <= 0) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "no memory for the KV cache: ", room / kMiB, " MiB are left, ",
        (room - kv_bytes) / kMiB, " MiB are kept back, ",
        budget.host_kv_bytes / kMiB, " MiB are for host blocks"));
  }
  if (sizes_host_blocks) {
    budget.host_kv_bytes = std::clamp<int64_t>(kv_bytes - budget.kv_cache_bytes,
                                               0, budget.kv_cache_bytes / 4);
  }
  const int64_t wanted = settings.kv_cache == "auto" ? budget.kv_cache_bytes / 4
                                                     : budget.kv_cache_bytes;
  budget.resident_kv_bytes =
      std::clamp<int64_t>(std::min(kv_bytes / 2, 4096 * kMiB), 0, wanted);
  return budget;
}

absl::StatusOr<int64_t> ParseBytes(std::string_view text) {
  absl::string_view digits = ToAbsl(text);
  double unit = 1;
  for (const auto& [suffix, size] :
       {std::pair("KiB", 0x1p10), std::pair("MiB", 0x1p20),
        std::pair("GiB", 0x1p30), std::pair("TiB", 0x1p40)}) {
    if (absl::ConsumeSuffix(&digits, suffix)) unit = size;
  }
  double number = 0;
  const bool is_number =
      !digits.empty() &&
      digits.find_first_not_of("0123456789.") == absl::string_view::npos &&
      absl::SimpleAtod(digits, &number);
  if (is_number && number * unit >= 1 && number * unit <= kMaxBytes) {
    return static_cast<int64_t>(number * unit);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("\"", ToAbsl(text),
                   "\" is no size; write bytes, or a number with KiB, MiB, GiB "
                   "or TiB, such as 2GiB"));
}

absl::StatusOr<int64_t> ParseBytesOrNone(std::string_view text) {
  if (text == "0") return 0;
  return ParseBytes(text);
}

int MaxStepRows(const ModelConfig& config, int64_t activation_bytes) {
  const int64_t heads = 2 * config.num_heads + 2 * config.num_kv_heads;
  const int64_t floats = 2 * config.hidden_size + heads * config.head_dim +
                         3 * config.intermediate_size;
  const int64_t bytes_per_row =
      2 * floats * static_cast<int64_t>(sizeof(float));
  const int64_t rows = activation_bytes / bytes_per_row;
  return static_cast<int>(
      std::clamp<int64_t>(rows, 1024, std::numeric_limits<int32_t>::max()));
}

}  // namespace quire
