#include "client/top_screen.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/block_cells.h"
#include "client/preemption_text.h"
#include "client/request_state_text.h"
#include "client/units.h"

namespace quire {
namespace {

using quire::v1::BlockCounts;
using quire::v1::RequestStatus;
using quire::v1::StatusResponse;

constexpr TextStyle kBold = {.bold = true};
constexpr TextStyle kDim = {.dim = true};
constexpr TextStyle kWarning = {.color = 203, .bold = true};
constexpr TextStyle kCached = {.color = 245};
constexpr TextStyle kFree = {.color = 238};
// Of a holder that is not in the list of requests.
constexpr TextStyle kUnlisted = {.color = 252};
constexpr const char* kLevels[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

// Colours that neighbours in the list can be told apart by.
TextStyle OwnerStyle(uint32_t owner) {
  constexpr int kPalette[] = {75,  214, 114, 204, 141, 80,
                              221, 167, 110, 180, 78,  176};
  if (owner == 0) return kUnlisted;
  return {.color = kPalette[(owner - 1) % std::size(kPalette)]};
}

// How much a counter grew per second between the two frames; 0 where that is
// not known.
double Rate(uint64_t now, uint64_t before, double seconds) {
  return seconds > 0 && now >= before
             ? static_cast<double>(now - before) / seconds
             : 0;
}

ScreenLine TitleLine(const TopView& view) {
  const StatusResponse& status = view.frame.status();
  ScreenLine line;
  line.Add("quire ", kBold).Add(absl::StrCat(view.title, "  "));
  if (status.ready()) {
    line.Add("ready", {.color = 114});
  } else {
    line.Add("not ready: " + Printable(status.reason(), 200), kWarning);
  }
  return line.Add(absl::StrCat("  up ", FormatSeconds(status.uptime_s()),
                               "  epoch ", status.epoch()),
                  kDim);
}

ScreenLine LoadLine(const StatusResponse& status) {
  ScreenLine line;
  line.Add("requests  ", kDim)
      .Add(absl::StrFormat("%d running  %d waiting", status.running_requests(),
                           status.waiting_requests()));
  if (status.waiting_tokens() > 0) {
    line.Add(absl::StrCat(" (", FormatCount(status.waiting_tokens()),
                          " prompt tokens)"));
  }
  return line;
}

ScreenLine PreemptionsLine(const StatusResponse& status) {
  return ScreenLine()
      .Add("preempted ", kDim)
      .Add(absl::StrCat(FormatCount(status.preemptions()),
                        status.preemptions() == 1 ? " time " : " times ",
                        PreemptionCostText(status)));
}

ScreenLine SpeedLine(const TopView& view) {
  const StatusResponse& now = view.frame.status();
  const StatusResponse& before = view.previous.status();
  const double seconds =
      before.uptime_s() > 0 ? now.uptime_s() - before.uptime_s() : 0;
  const auto rate = [&](uint64_t a, uint64_t b) { return Rate(a, b, seconds); };
  return ScreenLine()
      .Add("speed     ", kDim)
      .Add(absl::StrFormat(
          "%.1f generated/s  %.1f prompt tokens/s  %.1f steps/s",
          rate(now.generated_tokens(), before.generated_tokens()),
          rate(now.prompt_tokens(), before.prompt_tokens()),
          rate(now.steps(), before.steps())));
}

ScreenLine BlocksLine(const BlockCounts& blocks) {
  const uint64_t slots = uint64_t{blocks.active()} * blocks.block_size();
  return ScreenLine()
      .Add("blocks    ", kDim)
      .Add(absl::StrCat(FormatCount(blocks.active()), " active (",
                        FormatShare(blocks.used_slots(), slots),
                        " of slots used)  ", FormatCount(blocks.cached()),
                        " cached  ", FormatCount(blocks.free()), " free  of ",
                        FormatCount(blocks.total())));
}

ScreenLine HostLine(const StatusResponse& status) {
  return ScreenLine().Add("host      ", kDim).Add(HostBlocksText(status));
}

ScreenLine SharingLine(const StatusResponse& status) {
  return ScreenLine()
      .Add("sharing   ", kDim)
      .Add(absl::StrCat(FormatCount(status.blocks().shared()),
                        " blocks shared, saving ",
                        FormatCount(status.blocks().saved()), "  ",
                        FormatCount(status.cached_prompt_tokens()),
                        " prompt tokens found in the cache"));
}

ScreenLine LegendLine(size_t blocks_per_cell) {
  ScreenLine line;
  line.Add("map       ", kDim)
      .Add("▁▄█", OwnerStyle(1))
      .Add(" active, by fill  ", kDim)
      .Add("░", kCached)
      .Add(" cached  ", kDim)
      .Add("·", kFree)
      .Add(" free", kDim);
  if (blocks_per_cell > 1) {
    line.Add(absl::StrCat("  ", blocks_per_cell, " blocks a cell"), kDim);
  }
  return line;
}

void AddCell(const BlockCell& cell, ScreenLine& line) {
  switch (cell.state) {
    case quire::v1::BLOCK_STATE_ACTIVE:
      line.Add(kLevels[cell.level], OwnerStyle(cell.owner));
      break;
    case quire::v1::BLOCK_STATE_CACHED:
      line.Add("░", kCached);
      break;
    default:
      line.Add("·", kFree);
  }
}

std::vector<ScreenLine> MapLines(const TopView& view, const ScreenSize& size) {
  if (size.rows == 0 || size.columns == 0) return {};
  std::vector<ScreenLine> lines;
  size_t column = size.columns;
  for (const BlockCell& cell : CellsOf(view.frame, size.rows * size.columns)) {
    if (column == size.columns) {
      lines.emplace_back();
      column = 0;
    }
    AddCell(cell, lines.back());
    ++column;
  }
  return lines;
}

ScreenLine RequestLine(const RequestStatus& request, uint32_t owner) {
  return ScreenLine()
      .Add(request.running() ? "■ " : "  ", OwnerStyle(owner))
      .Add(absl::StrFormat("%-19s %-13s %7d %9d %7d %8d %8s",
                           Printable(request.request_id(), 19),
                           StateText(request), request.prompt_tokens(),
                           request.generated_tokens(), request.blocks(),
                           request.preemptions(),
                           FormatSeconds(request.age_s())),
           request.running() ? TextStyle() : kDim);
}

ScreenLine RequestsHeader() {
  return ScreenLine().Add(
      absl::StrFormat("  %-19s %-13s %7s %9s %7s %8s %8s", "REQUEST", "STATE",
                      "PROMPT", "GENERATED", "BLOCKS", "PREEMPT.", "AGE"),
      kBold);
}

// The requests in at most `rows` lines; the last one says how many more there
// are.
std::vector<ScreenLine> RequestLines(const StatusResponse& status,
                                     size_t rows) {
  const size_t count = status.requests().size();
  if (count == 0 || rows < 2) return {};
  const size_t shown = count < rows ? count : rows - 2;
  std::vector<ScreenLine> lines = {RequestsHeader()};
  for (size_t i = 0; i < shown; ++i) {
    const auto index = static_cast<int>(i);
    lines.push_back(
        RequestLine(status.requests(index), static_cast<uint32_t>(i + 1)));
  }
  if (shown < count) {
    lines.push_back(
        ScreenLine().Add(absl::StrCat("  and ", count - shown, " more"), kDim));
  }
  return lines;
}

// Rows for the map where map and requests share `rows`: what the requests
// leave, but at least half.
size_t MapRows(const TopView& view, size_t rows, size_t columns) {
  const size_t num_requests = view.frame.status().requests().size();
  const size_t table = num_requests == 0 ? 0 : num_requests + 1;
  const size_t left = rows > table ? rows - table : 0;
  const size_t room = std::max(left, rows / 2);
  const size_t num_blocks = view.frame.blocks().size();
  const size_t wanted = columns == 0 ? 0 : (num_blocks + columns - 1) / columns;
  return std::min(room, wanted);
}

void Append(std::vector<ScreenLine> more, std::vector<ScreenLine>& lines) {
  std::move(more.begin(), more.end(), std::back_inserter(lines));
}

}  // namespace

std::vector<ScreenLine> TopScreen(const TopView& view, const ScreenSize& size) {
  const StatusResponse& status = view.frame.status();
  std::vector<ScreenLine> lines = {TitleLine(view), LoadLine(status)};
  if (status.preemptions() > 0) lines.push_back(PreemptionsLine(status));
  lines.push_back(SpeedLine(view));
  lines.push_back(BlocksLine(status.blocks()));
  if (status.blocks().host_total() > 0) lines.push_back(HostLine(status));
  if (status.blocks().saved() > 0 || status.cached_prompt_tokens() > 0) {
    lines.push_back(SharingLine(status));
  }
  const size_t above = lines.size() + 1;
  const size_t rows = size.rows > above ? size.rows - above : 0;
  const size_t map_rows = MapRows(view, rows, size.columns);
  if (map_rows > 0) {
    lines.push_back(LegendLine(
        BlocksPerCell(view.frame.blocks().size(), map_rows * size.columns)));
    Append(MapLines(view, {map_rows, size.columns}), lines);
    Append(RequestLines(status, rows - map_rows), lines);
  }
  lines.resize(std::min(lines.size(), size.rows));
  return lines;
}

}  // namespace quire
