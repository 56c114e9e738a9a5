#ifndef QUIRE_CLIENT_SVG_CHART_H_
#define QUIRE_CLIENT_SVG_CHART_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace quire {

// A line over x, or one part of every stacked bar.
struct ChartSeries {
  std::string name;
  std::vector<double> values;  // One for each x or bar.
};

// A value that the lines are read against, drawn across the chart.
struct ChartLimit {
  double value = 0;
  std::string name;
};

// One picture: lines over `x`, or bars named `bars`, each a stack of all
// series. What lies above y_max is cut off.
struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  double y_max = 1;
  std::vector<double> x;          // Ascending, at least two; of lines.
  std::vector<std::string> bars;  // Not empty: of bars.
  std::vector<ChartSeries> series;
  std::optional<ChartLimit> limit;  // Of lines.
};

// A whole SVG file with the charts one below the other. Lines are coloured, the
// parts of bars grey: a colour never means two things.
std::string SvgOf(const std::vector<Chart>& charts);

}  // namespace quire

#endif  // QUIRE_CLIENT_SVG_CHART_H_
