#include "client/reproduce_table.h"

#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

std::string Number(double value) {
  return absl::StrFormat("%.*f", std::abs(value) < 10 ? 3 : 2, value);
}

std::string WhyOf(const ReproducedFigure& figure) {
  return figure.why.empty() ? "no reason is known" : figure.why;
}

std::string PaperText(const std::optional<PaperFigure>& paper) {
  if (!paper.has_value()) return "-";
  if (paper->least == paper->most) return Number(paper->least);
  return absl::StrFormat("%.4g to %.4g", paper->least, paper->most);
}

std::string RowOf(const ReproducedFigure& figure) {
  const Spread& ours = figure.ours;
  std::string row = absl::StrFormat(
      "  %-44s %10s %9s   %s to %s\n", figure.name, PaperText(figure.paper),
      Number(ours.mean), Number(ours.least), Number(ours.most));
  if (Differs(figure)) {
    absl::StrAppend(&row, "      differs by more than a fifth: ", WhyOf(figure),
                    "\n");
  }
  return row;
}

// Half of the distance between the least and the most stands behind the mean.
std::string GridText(const ReproducedGrid& grid) {
  std::string text = absl::StrFormat("\n  %-18s", grid.name);
  for (const std::string& column : grid.columns) {
    absl::StrAppendFormat(&text, " %15s", column);
  }
  for (const ReproducedGrid::Row& row : grid.rows) {
    absl::StrAppendFormat(&text, "\n  %-18s", row.name);
    for (const Spread& cell : row.cells) {
      absl::StrAppendFormat(&text, "  %7s ±%5s", Number(cell.mean),
                            Number((cell.most - cell.least) / 2));
    }
  }
  return text + "\n";
}

Json ToJson(const ReproducedFigure& figure) {
  Json json = {{"name", figure.name}};
  if (figure.paper.has_value()) {
    json["paper"] = {figure.paper->least, figure.paper->most};
  }
  json["here"] = SpreadJson(figure.ours);
  if (Differs(figure)) json["why"] = WhyOf(figure);
  return json;
}

Json ToJson(const ReproducedGrid& grid) {
  Json rows = Json::array();
  for (const ReproducedGrid::Row& row : grid.rows) {
    Json entry = {{"name", row.name}};
    for (size_t i = 0; i < grid.columns.size(); ++i) {
      entry[grid.columns[i]] = SpreadJson(row.cells[i]);
    }
    rows.push_back(std::move(entry));
  }
  return {{"grid", grid.name}, {"rows", std::move(rows)}};
}

}  // namespace

bool Differs(const ReproducedFigure& figure) {
  if (!figure.paper.has_value()) return false;
  return figure.ours.mean < figure.paper->least * 0.8 ||
         figure.ours.mean > figure.paper->most * 1.2;
}

std::string SectionText(const ReproducedSection& section) {
  std::string text = absl::StrCat(section.title, "\n\n", section.about,
                                  section.about.empty() ? "" : "\n");
  if (!section.figures.empty()) {
    absl::StrAppendFormat(&text, "  %-44s %10s %9s   %s\n", "", "paper", "here",
                          "over the seeds");
  }
  for (const ReproducedFigure& figure : section.figures) text += RowOf(figure);
  for (const ReproducedGrid& grid : section.grids) text += GridText(grid);
  return text + "\n";
}

Json SectionJson(const ReproducedSection& section) {
  Json figures = Json::array();
  for (const ReproducedFigure& figure : section.figures) {
    figures.push_back(ToJson(figure));
  }
  Json grids = Json::array();
  for (const ReproducedGrid& grid : section.grids) {
    grids.push_back(ToJson(grid));
  }
  return {{"section", section.title},
          {"figures", std::move(figures)},
          {"grids", std::move(grids)}};
}

}  // namespace quire
