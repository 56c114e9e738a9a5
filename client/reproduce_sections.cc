#include "client/reproduce_sections.h"

#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/reproduce_sharing_sections.h"
#include "client/reproduce_sweep.h"
#include "client/spread.h"
#include "scheduler/sim/model_shape.h"

namespace quire {
namespace {

using Figure = std::function<double(const SimulationFigures&)>;

struct NamedPolicy {
  std::string name;
  ServingPolicy policy;
};

const NamedPolicy kPaged = {"paged", ServingPolicy::kPaged};
const NamedPolicy kOracle = {"Orca (Oracle)", ServingPolicy::kOrcaOracle};
const NamedPolicy kPow2 = {"Orca (Pow2)", ServingPolicy::kOrcaPow2};
const NamedPolicy kMax = {"Orca (Max)", ServingPolicy::kOrcaMax};
const NamedPolicy kStatic = {"static batch", ServingPolicy::kStatic};

Spread Exactly(double value) { return {value, value, value}; }

// --- Worked cases

// Of a token in a sequence with this block table.
struct SlotPlace {
  uint32_t block;
  uint32_t offset;
};

SlotPlace PlaceOf(uint32_t token, const std::vector<uint32_t>& table,
                  uint32_t block_size) {
  return {table[token / block_size], token % block_size};
}

ReproducedSection WorkedCases(ReproduceRuns&) {
  const ModelShape shape = *FindModelShape("opt-13b");
  const double kib = static_cast<double>(shape.bytes_per_slot()) / 0x1p10;
  const double gib = kib * shape.context_length / 0x1p20;
  const SlotPlace place = PlaceOf(34, {7, 1, 3}, /*block_size=*/16);
  return {
      .title = "Worked cases (sections 3 and 4)",
      .about = "OPT-13B in fp16: 2 vectors of 5,120 elements in 40 layers.\n",
      .figures = {
          {"KV cache of a token, KiB", Paper(800), Exactly(kib), ""},
          {"KV cache of 2,048 tokens, GiB", Paper(1.6), Exactly(gib), ""},
          {"slots in 12 GiB, thousands", Paper(15.7),
           Exactly(static_cast<double>(shape.num_slots) / 1000), ""},
          {"table [7, 1, 3], token 34: block", Paper(3), Exactly(place.block),
           ""},
          {"table [7, 1, 3], token 34: offset", Paper(2), Exactly(place.offset),
           ""}}};
}

// --- Composition of the KV memory

double PercentOfTotal(double slots, const SimulationFigures& figures) {
  return 100 * slots / static_cast<double>(figures.occupancy.total);
}

double TokenPercent(const SimulationFigures& figures) {
  return PercentOfTotal(figures.occupancy.tokens, figures);
}
double ReservedPercent(const SimulationFigures& figures) {
  return PercentOfTotal(figures.occupancy.reserved, figures);
}
double InternalPercent(const SimulationFigures& figures) {
  return PercentOfTotal(figures.occupancy.over_reserved, figures);
}
double ExternalPercent(const SimulationFigures& figures) {
  return 100 - TokenPercent(figures) - ReservedPercent(figures) -
         InternalPercent(figures);
}

// Blocks that nobody holds are anybody's to have, and not waste.
double TokenPercentOfAllocated(const SimulationFigures& figures) {
  return 100 * figures.occupancy.tokens / figures.occupancy.allocated;
}

struct Composition {
  NamedPolicy policy;
  double tokens;
  double reserved;
  double internal;
  double external;
};

ReproducedSection MemoryComposition(ReproduceRuns& runs) {
  const std::vector<Composition> paper = {{kMax, 20.4, 13.3, 57.3, 8.9},
                                          {kPow2, 26.8, 17.9, 13.6, 41.6},
                                          {kOracle, 38.2, 25.2, 0, 36.6}};
  ReproducedSection section = {
      .title = "Composition of the KV memory, % (figure 2)",
      .about =
          "ShareGPT at 2 requests/s. Of the paged memory, what is allocated "
          "counts:\na free block is anybody's to have.\n"};
  Chart chart = {.title =
                     "KV memory by use, ShareGPT at 2 requests/s (paged: of "
                     "what is allocated)",
                 .y_label = "%",
                 .y_max = 100,
                 .series = {{"tokens", {}},
                            {"reserved", {}},
                            {"internal fragm.", {}},
                            {"external, free", {}}}};
  for (const Composition& row : paper) {
    const Experiment experiment = {.policy = row.policy.policy, .rate = 2};
    const std::vector<std::tuple<std::string, double, Figure>> parts = {
        {"token states", row.tokens, TokenPercent},
        {"reserved", row.reserved, ReservedPercent},
        {"internal fragmentation", row.internal, InternalPercent},
        {"external fragmentation, others", row.external, ExternalPercent}};
    chart.bars.push_back(row.policy.name);
    for (size_t i = 0; i < parts.size(); ++i) {
      const auto& [name, value, figure] = parts[i];
      const Spread ours = runs.Figure(experiment, figure);
      section.figures.push_back({absl::StrCat(row.policy.name, ": ", name),
                                 Paper(value), ours, kLengthsAreAssumed});
      chart.series[i].values.push_back(ours.mean);
    }
  }
  const Spread paged = runs.Figure({.rate = 2}, TokenPercentOfAllocated);
  section.figures.push_back({"paged: token states", Paper(96.3), paged, ""});
  chart.bars.push_back(kPaged.name);
  const double parts[] = {paged.mean, 0, 100 - paged.mean, 0};
  for (size_t i = 0; i < std::size(parts); ++i) {
    chart.series[i].values.push_back(parts[i]);
  }
  section.charts.push_back(std::move(chart));
  return section;
}

// --- Batched requests

double Batched(const SimulationFigures& figures) {
  return figures.occupancy.num_running;
}

// By Little's law, what is batched is the rate times the time that a request
// takes: so the paper's figure tells how long its own took, if they kept up.
std::string WhyBatched(double paper, double ours, double latency) {
  if (latency > kLatencyLimit) return "";
  return absl::StrFormat(
      "here the rate is kept up with, at\n      %.0f ms a token; the paper's "
      "engine needed about %.0f ms or fell behind, and the cost model\n      "
      "has "
      "no term for what it spent beside its device",
      1000 * latency, 1000 * latency * paper / ours);
}

using PaperBatches = std::vector<std::pair<NamedPolicy, double>>;

void AddBatched(ReproduceRuns& runs, const std::string& name,
                Experiment experiment, const PaperBatches& paper,
                ReproducedSection& section) {
  for (const auto& [policy, value] : paper) {
    experiment.policy = policy.policy;
    const Spread ours = runs.Figure(experiment, Batched);
    const double latency = runs.Figure(experiment, NormalizedLatency).mean;
    section.figures.push_back({absl::StrCat(name, ": ", policy.name),
                               Paper(value), ours,
                               WhyBatched(value, ours.mean, latency)});
  }
}

// What the memory holds, where more arrive than any system serves.
void AddLargestBatches(ReproduceRuns& runs, const std::string& name,
                       Experiment experiment, ReproducedSection& section) {
  for (const NamedPolicy& policy : {kMax, kPow2, kOracle, kPaged}) {
    experiment.policy = policy.policy;
    section.figures.push_back({absl::StrCat(name, ": ", policy.name),
                               std::nullopt, runs.Figure(experiment, Batched),
                               ""});
  }
}

ReproducedSection BatchedRequests(ReproduceRuns& runs) {
  ReproducedSection section = {
      .title = "Requests that are batched, on average (figure 13)",
      .about =
          "The last rows are at rates that are too high for all: what the "
          "memory holds.\n"};
  const Experiment chats = {.trace = TraceShape::kShareGpt, .rate = 2};
  AddBatched(runs, "ShareGPT, 2 requests/s", chats,
             {{kMax, 7.00}, {kPow2, 9.81}, {kOracle, 13.62}, {kPaged, 30.42}},
             section);
  const Experiment instructions = {.trace = TraceShape::kAlpaca, .rate = 30};
  AddBatched(runs, "Alpaca, 30 requests/s", instructions,
             {{kMax, 7.00}, {kPow2, 43.24}, {kOracle, 72.75}, {kPaged, 132.44}},
             section);
  AddLargestBatches(runs, "ShareGPT, 4 requests/s",
                    {.trace = TraceShape::kShareGpt, .rate = 4}, section);
  AddLargestBatches(runs, "Alpaca, 100 requests/s",
                    {.trace = TraceShape::kAlpaca, .rate = 100}, section);
  return section;
}

// --- Normalized latency against the rate of requests

std::vector<Sweep> SweepAll(ReproduceRuns& runs, TraceShape trace,
                            const std::vector<double>& rates) {
  std::vector<Sweep> sweeps;
  for (const NamedPolicy& policy : {kPaged, kOracle, kPow2, kMax, kStatic}) {
    sweeps.push_back(SweepOf(runs, policy.name,
                             {.policy = policy.policy, .trace = trace}, rates));
  }
  return sweeps;
}

Chart ChartOf(const std::string& name, const ReproducedGrid& grid,
              const std::vector<double>& rates) {
  Chart chart = {.title = absl::StrCat("OPT-13B, ", name, " (figure 12)"),
                 .x_label = "requests/s",
                 .y_label = "normalized latency, s/token",
                 .y_max = 1,
                 .x = rates,
                 .limit = {{kLatencyLimit, absl::StrFormat("kept up: below %g",
                                                           kLatencyLimit)}}};
  for (size_t i = 0; i < grid.columns.size(); ++i) {
    ChartSeries& series = chart.series.emplace_back();
    series.name = grid.columns[i];
    for (const ReproducedGrid::Row& row : grid.rows) {
      series.values.push_back(row.cells[i].mean);
    }
  }
  return chart;
}

void AddSweeps(const std::string& name, const std::vector<Sweep>& sweeps,
               ReproducedSection& section) {
  for (const Sweep& sweep : sweeps) {
    section.figures.push_back(
        {absl::StrCat(name, ", rate kept up with: ", sweep.name), std::nullopt,
         SpreadOf(KeptUp(sweep)), ""});
  }
  section.grids.push_back(GridOf(name, sweeps));
  section.charts.push_back(
      ChartOf(name, section.grids.back(), sweeps.front().rates));
}

ReproducedSection LatencyAgainstRate(ReproduceRuns& runs) {
  ReproducedSection section = {
      .title =
          "Normalized latency against the rate of requests, s/token "
          "(figure 12)",
      .about =
          "A system keeps up while the latency is below 0.2 s a token. "
          "The paper prints\ncurves, and ratios over its three models.\n"};
  const std::vector<Sweep> chats = SweepAll(
      runs, TraceShape::kShareGpt,
      {0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 2.75, 3, 3.25, 3.5, 4});
  AddSweeps("ShareGPT", chats, section);
  section.figures.push_back({"ShareGPT, paged over Orca (Oracle)",
                             PaperFigure{1.7, 2.7},
                             KeptUpRatio(chats[0], chats[1]), ""});
  section.figures.push_back({"ShareGPT, paged over Orca (Max)",
                             PaperFigure{2.7, 8},
                             KeptUpRatio(chats[0], chats[3]), ""});
  AddSweeps("Alpaca",
            SweepAll(runs, TraceShape::kAlpaca,
                     {1, 2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100}),
            section);
  return section;
}

// --- Block sizes

ReproducedSection BlockSizes(ReproduceRuns& runs) {
  ReproducedSection section = {
      .title = "Normalized latency by block size, s/token (figure 18b)",
      .about =
          "About at the rates that blocks of 16 keep up with. The paper "
          "prints curves: 16 to\n128 are best on ShareGPT, 16 and 32 on "
          "Alpaca, where larger ones are mostly empty.\nThat kernels are "
          "slower on blocks of few tokens is not modelled.\n"};
  ReproducedGrid grid = {.name = "tokens of a block",
                         .columns = {"ShareGPT, 3/s", "Alpaca, 70/s"}};
  for (const uint32_t block_size : {1, 8, 16, 32, 64, 128, 256}) {
    Experiment chats = {.trace = TraceShape::kShareGpt, .rate = 3};
    Experiment instructions = {.trace = TraceShape::kAlpaca, .rate = 70};
    chats.block_size = instructions.block_size = block_size;
    grid.rows.push_back({absl::StrCat(block_size),
                         {runs.Figure(chats, NormalizedLatency),
                          runs.Figure(instructions, NormalizedLatency)}});
  }
  section.grids.push_back(std::move(grid));
  return section;
}

// --- Recomputation and swapping

double Preemptions(const SimulationFigures& figures) {
  return static_cast<double>(figures.num_preemptions);
}

double SwapPreemptions(const SimulationFigures& figures) {
  return static_cast<double>(figures.num_swap_preemptions);
}

ReproducedSection Swapping(ReproduceRuns& runs) {
  ReproducedSection section = {
      .title = "What becomes of a victim (figure 19b)",
      .about =
          "ShareGPT at 3 requests a second, near what is kept up with, where "
          "some are preempted.\nThe paper prints curves: with blocks of 16 to "
          "64 both ways are about equal; small\nblocks are slow to swap, since "
          "each is a transfer of its own, which is not modelled.\n"};
  ReproducedGrid grid = {.name = "preemption",
                         .columns = {"s/token", "preemptions", "by swapping"}};
  for (const PreemptionMode mode :
       {PreemptionMode::kRecompute, PreemptionMode::kSwap,
        PreemptionMode::kAuto}) {
    const Experiment experiment = {.trace = TraceShape::kShareGpt,
                                   .rate = 3,
                                   .uses_prefix_cache = false,
                                   .preemption = mode};
    grid.rows.push_back({AbslUnparseFlag(mode),
                         {runs.Figure(experiment, NormalizedLatency),
                          runs.Figure(experiment, Preemptions),
                          runs.Figure(experiment, SwapPreemptions)}});
  }
  section.grids.push_back(std::move(grid));
  return section;
}

}  // namespace

std::vector<SectionRecipe> SectionRecipes() {
  return {{"worked_cases", WorkedCases},
          {"memory", MemoryComposition, /*has_pictures=*/true},
          {"batched", BatchedRequests},
          {"latency", LatencyAgainstRate, /*has_pictures=*/true},
          {"parallel_sampling", ParallelSampling},
          {"beam_search", BeamSearch},
          {"shared_prefix", SharedPrefix},
          {"block_size", BlockSizes},
          {"swapping", Swapping}};
}

}  // namespace quire
