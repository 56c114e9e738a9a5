#ifndef QUIRE_CLIENT_REPRODUCE_TABLE_H_
#define QUIRE_CLIENT_REPRODUCE_TABLE_H_

#include <optional>
#include <string>
#include <vector>

#include "client/spread.h"
#include "client/svg_chart.h"
#include "nlohmann/json.hpp"

namespace quire {

// A figure as the paper prints it: a number, or a range over its models.
struct PaperFigure {
  double least = 0;
  double most = 0;  // The same where it is a number.
};
inline PaperFigure Paper(double number) { return {number, number}; }

// A figure beside the paper's.
struct ReproducedFigure {
  std::string name;
  std::optional<PaperFigure> paper;  // Absent: the paper prints none.
  Spread ours;
  // Why ours is another, where it is known; shown only where the two differ by
  // more than a fifth.
  std::string why;
};

// Figures that the paper prints as a curve alone: a column for each curve, a
// row for each place on it.
struct ReproducedGrid {
  struct Row {
    std::string name;
    std::vector<Spread> cells;  // One for each column.
  };
  std::string name;
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

// One part of the reproduction: figures, what is to be said about them, and
// pictures.
struct ReproducedSection {
  std::string title;  // With the paper's number for it.
  std::string about;  // How it was made; whole lines. May be empty.
  std::vector<ReproducedFigure> figures;
  std::vector<ReproducedGrid> grids;
  std::vector<Chart> charts;
};

// Whether the mean is more than a fifth of the paper's figure away from it, or
// from the nearer end of its range.
bool Differs(const ReproducedFigure& figure);

// The section as text, and as one JSON value.
std::string SectionText(const ReproducedSection& section);
nlohmann::ordered_json SectionJson(const ReproducedSection& section);

}  // namespace quire

#endif  // QUIRE_CLIENT_REPRODUCE_TABLE_H_
