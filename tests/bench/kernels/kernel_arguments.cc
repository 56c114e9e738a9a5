#include "tests/bench/kernels/kernel_arguments.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

namespace quire {
namespace {

// The value of --name=value, where `argument` is that.
std::optional<std::string> ValueOf(std::string_view name,
                                   std::string_view argument) {
  if (!argument.starts_with(name)) return std::nullopt;
  return std::string(argument.substr(name.size()));
}

bool Take(std::string_view argument, KernelArguments& arguments) {
  if (argument == "--quick") {
    arguments.quick = true;
  } else if (const auto threads = ValueOf("--threads=", argument)) {
    arguments.num_threads = std::max(1, std::atoi(threads->c_str()));
  } else if (const auto megabytes = ValueOf("--cold_mb=", argument)) {
    arguments.cold_bytes =
        std::max(1, std::atoi(megabytes->c_str())) * (int64_t{1} << 20);
  } else if (const auto name = ValueOf("--instruction_set=", argument)) {
    const std::optional<InstructionSet> set = InstructionSetNamed(*name);
    if (!set.has_value() || !IsSupported(*set)) return false;
    arguments.instruction_set = *set;
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::optional<KernelArguments> ParseKernelArguments(int argc, char** argv,
                                                    int64_t quick_cold_mb,
                                                    int64_t full_cold_mb) {
  KernelArguments arguments;
  for (int i = 1; i < argc; ++i) {
    if (!Take(argv[i], arguments)) return std::nullopt;
  }
  if (arguments.cold_bytes == 0) {
    arguments.cold_bytes = (arguments.quick ? quick_cold_mb : full_cold_mb)
                           << 20;
  }
  return arguments;
}

}  // namespace quire
