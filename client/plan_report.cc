#include "client/plan_report.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/message_json.h"
#include "client/spread.h"
#include "client/units.h"
#include "scheduler/sim/memory_split.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

// One line of the table: a figure over the runs.
struct PlanFigure {
  std::string key;    // In JSON.
  std::string label;  // For people.
  Spread spread;
  std::optional<double> limit;  // Of its target.
};

using FigureOf = std::function<double(const SimulationFigures&)>;

double Percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

double InThousand(uint64_t count, const SimulationFigures& run) {
  return 1000 * static_cast<double>(count) /
         static_cast<double>(run.num_requests);
}

struct NamedFigure {
  const char* key;
  const char* label;
  double (*of)(const SimulationFigures&);
};
constexpr NamedFigure kFigures[] = {
    {"requests_at_once", "requests at once",
     [](const auto& run) { return run.occupancy.num_running; }},
    {"most_requests_at_once", "requests at once, at most",
     [](const auto& run) {
       return static_cast<double>(run.occupancy.most_running);
     }},
    {"allocated_percent", "KV cache allocated, %",
     [](const auto& run) {
       return Percent(run.occupancy.allocated,
                      static_cast<double>(run.occupancy.total));
     }},
    {"tokens_percent", "of that, slots that hold tokens, %",
     [](const auto& run) {
       return Percent(run.occupancy.tokens, run.occupancy.allocated);
     }},
    {"saved_percent", "saved by sharing, %",
     [](const auto& run) { return 100 * run.occupancy.saved_share(); }},
    {"preemptions_per_1000", "preemptions in 1,000 requests",
     [](const auto& run) { return InThousand(run.num_preemptions, run); }},
    {"swap_preemptions_per_1000", "by swapping, in 1,000 requests",
     [](const auto& run) { return InThousand(run.num_swap_preemptions, run); }},
    {"output_tok_s", "output tokens/s of a replica",
     [](const auto& run) { return run.output_tokens_per_s; }},
};

constexpr char kLatencyHelp[] =
    "Seconds. ttft: from arrival to the first token. tbt: between tokens, a\n"
    "request's mean. token_latency: from arrival to the end, divided by the\n"
    "tokens of the answer.\n";

Spread Over(const std::vector<SimulationFigures>& runs, const FigureOf& of) {
  std::vector<double> values;
  values.reserve(runs.size());
  for (const SimulationFigures& run : runs) values.push_back(of(run));
  return SpreadOf(values);
}

std::optional<double> LimitOf(const CapacityQuestion& question,
                              const std::string& name) {
  std::optional<double> limit;
  for (const LatencyTarget& target : question.targets) {
    if (target.figure.name == name) {
      limit = std::min(limit.value_or(target.limit_s), target.limit_s);
    }
  }
  return limit;
}

std::vector<PlanFigure> FiguresOf(const CapacityQuestion& question,
                                  const CapacityAnswer& answer) {
  std::vector<PlanFigure> figures;
  for (const LatencyFigure& latency : LatencyFigures()) {
    figures.push_back(
        {.key = latency.name,
         .label = latency.name,
         .spread = Over(answer.runs,
                        [&](const auto& run) { return latency.Of(run); }),
         .limit = LimitOf(question, latency.name)});
  }
  for (const NamedFigure& named : kFigures) {
    figures.push_back({.key = named.key,
                       .label = named.label,
                       .spread = Over(answer.runs, named.of)});
  }
  return figures;
}

std::string Number(double value) { return absl::StrFormat("%.4g", value); }

std::string RowOf(const PlanFigure& figure) {
  const Spread& spread = figure.spread;
  return absl::StrFormat("  %-36s %8s %9s   %s to %s\n", figure.label,
                         figure.limit ? Number(*figure.limit) : "-",
                         Number(spread.mean), Number(spread.least),
                         Number(spread.most));
}

std::string MemoryText(const ModelShape& shape, uint32_t block_size) {
  const MemorySplit split = SplitMemory(shape, block_size);
  return absl::StrFormat(
      "%s on %d x %s\n"
      "  weights          %s\n"
      "  KV cache         %s: %s blocks of %d slots (%s), %s slots\n"
      "  longest request  %s tokens, %s blocks; %s of them at once\n",
      shape.name, shape.num_devices, shape.machine,
      FormatBytes(split.weight_bytes),
      FormatBytes(split.num_blocks * split.block_bytes),
      FormatCount(split.num_blocks), block_size, FormatBytes(split.block_bytes),
      FormatCount(split.num_slots), FormatCount(split.longest_request),
      FormatCount(split.longest_blocks), FormatCount(split.num_longest));
}

std::string BurstText(const CapacityAnswer& answer) {
  return absl::StrFormat(
      "But the trace is too short to tell that: its requests, %s, arrive at "
      "%.4g/s\nin less than half of the time that serving them takes. A longer "
      "one tells.\n",
      FormatCount(answer.runs.front().num_requests), answer.sustained_rate);
}

std::string VerdictText(const CapacityQuestion& question,
                        const CapacityAnswer& answer) {
  const double rate = question.load.rate();
  if (answer.num_replicas == 0) {
    return absl::StrFormat(
        "No number of replicas serves %.4g requests/s within the targets:\n"
        "%s.\n%s",
        rate, answer.obstacle,
        answer.runs.empty()
            ? ""
            : "One replica that is given one request at a time:\n");
  }
  return absl::StrFormat(
      "%d %s for %.4g requests/s, %.4g/s each; one keeps up with %.4g/s\n%s",
      answer.num_replicas, answer.num_replicas == 1 ? "replica" : "replicas",
      rate, rate / answer.num_replicas, answer.sustained_rate,
      answer.is_burst ? BurstText(answer) : "");
}

std::string TableText(const CapacityQuestion& question,
                      const CapacityAnswer& answer) {
  std::string text = absl::StrFormat(
      "\n  %-36s %8s %9s   over %d %s\n", "", "at most", "here",
      answer.runs.size(), answer.runs.size() == 1 ? "trace" : "traces");
  for (const PlanFigure& figure : FiguresOf(question, answer)) {
    text += RowOf(figure);
  }
  return absl::StrCat(text, "\n", kLatencyHelp);
}

Json MemoryJson(const ModelShape& shape, uint32_t block_size) {
  const MemorySplit split = SplitMemory(shape, block_size);
  return {{"weight_bytes", split.weight_bytes},
          {"block_bytes", split.block_bytes},
          {"blocks", split.num_blocks},
          {"slots", split.num_slots},
          {"longest_request_tokens", split.longest_request},
          {"longest_requests_at_once", split.num_longest}};
}

}  // namespace

std::string PlanText(const CapacityQuestion& question,
                     const CapacityAnswer& answer) {
  const RunOptions& replica = question.replica;
  return absl::StrCat(MemoryText(replica.shape, replica.block_size), "\n",
                      VerdictText(question, answer),
                      answer.runs.empty() ? "" : TableText(question, answer));
}

std::string PlanJson(const CapacityQuestion& question,
                     const CapacityAnswer& answer) {
  const RunOptions& replica = question.replica;
  Json json = {{"replicas", answer.num_replicas},
               {"rate", question.load.rate()},
               {"sustained_rate", answer.sustained_rate},
               {"is_burst", answer.is_burst}};
  if (answer.num_replicas == 0) json["obstacle"] = answer.obstacle;
  json["memory"] = MemoryJson(replica.shape, replica.block_size);
  if (answer.runs.empty()) return ToLine(json) + "\n";
  for (const PlanFigure& figure : FiguresOf(question, answer)) {
    Json& entry = json["figures"][figure.key] = SpreadJson(figure.spread);
    if (figure.limit.has_value()) entry["at_most"] = *figure.limit;
  }
  return ToLine(json) + "\n";
}

}  // namespace quire
