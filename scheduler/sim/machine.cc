#include "scheduler/sim/machine.h"

#include <cmath>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/status_macros.h"

namespace quire {
namespace {

constexpr char kKnownMachines[] =
#include "scheduler/sim/machines.inc"
    ;

using Fields = std::map<std::string, double, std::less<>>;

absl::Status AddField(absl::string_view line, Fields& fields) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(line, absl::MaxSplits('#', 1));
  if (parts.size() < 2 || absl::StripAsciiWhitespace(parts[1]).empty()) {
    return absl::InvalidArgumentError("no source stands behind the value");
  }
  const std::vector<absl::string_view> sides = absl::StrSplit(parts[0], '=');
  double value = 0;
  if (sides.size() != 2 || !absl::SimpleAtod(sides[1], &value) ||
      !std::isfinite(value) || value <= 0) {
    return absl::InvalidArgumentError(
        "not NAME = VALUE  # SOURCE with a value above 0");
  }
  const std::string name(absl::StripAsciiWhitespace(sides[0]));
  if (!fields.emplace(name, value).second) {
    return absl::InvalidArgumentError(absl::StrCat(name, " stands twice"));
  }
  return absl::OkStatus();
}

// By the names of machines.
absl::StatusOr<std::map<std::string, Fields>> ParseSections(
    const std::string& text) {
  std::map<std::string, Fields> sections;
  Fields* section = nullptr;
  int number = 0;
  for (absl::string_view line : absl::StrSplit(text, '\n')) {
    ++number;
    line = absl::StripAsciiWhitespace(line);
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[' && line.back() == ']') {
      section = &sections[std::string(line.substr(1, line.size() - 2))];
      continue;
    }
    const absl::Status added =
        section == nullptr
            ? absl::InvalidArgumentError("stands before the first [MACHINE]")
            : AddField(line, *section);
    if (!added.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number, ": ", added.message()));
    }
  }
  return sections;
}

absl::StatusOr<Machine> MachineOf(Fields fields) {
  Machine machine;
  const std::pair<const char*, double*> members[] = {
      {"memory_bytes_per_s", &machine.memory_bytes_per_s},
      {"memory_efficiency", &machine.memory_efficiency},
      {"flops", &machine.flops},
      {"flops_efficiency", &machine.flops_efficiency},
      {"step_overhead_s", &machine.step_overhead_s},
      {"layer_overhead_s", &machine.layer_overhead_s},
      {"link_bytes_per_s", &machine.link_bytes_per_s},
      {"link_latency_s", &machine.link_latency_s},
      {"host_bytes_per_s", &machine.host_bytes_per_s},
  };
  for (const auto& [name, member] : members) {
    const auto field = fields.find(name);
    if (field == fields.end()) {
      return absl::InvalidArgumentError(absl::StrCat(name, " is missing"));
    }
    *member = field->second;
    if (absl::EndsWith(name, "_efficiency") && *member > 1) {
      return absl::InvalidArgumentError(
          absl::StrCat(name, " is ", *member, ", must be at most 1"));
    }
    fields.erase(field);
  }
  if (fields.empty()) return machine;
  return absl::InvalidArgumentError(
      absl::StrCat("there is no field ", fields.begin()->first));
}

}  // namespace

const char* KnownMachines() { return kKnownMachines; }

absl::StatusOr<Machine> ParseMachine(const std::string& text,
                                     const std::string& name) {
  QUIRE_ASSIGN_OR_RETURN(const auto sections, ParseSections(text));
  const auto section = sections.find(name);
  if (section == sections.end()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "there is no machine ", name, "; there are: ",
        absl::StrJoin(sections, ", ", [](std::string* out, const auto& entry) {
          absl::StrAppend(out, entry.first);
        })));
  }
  absl::StatusOr<Machine> machine = MachineOf(section->second);
  if (machine.ok()) return machine;
  return absl::InvalidArgumentError(
      absl::StrCat("machine ", name, ": ", machine.status().message()));
}

}  // namespace quire
