#ifndef QUIRE_CLIENT_SVG_CHART_H_
#define QUIRE_CLIENT_SVG_CHART_H_

#include <string>
#include <utility>
#include <vector>

namespace quire {

// A line over x, or one part of every stacked bar.
struct ChartSeries {
  std::string name;
  std::vector<double> values;  // One for each x or bar.
};

// One picture: lines over `x`, or bars named `bars`, each a stack of all
// series. Values above y_max are cut off.
struct Chart {
  std::string title;
  std::string x_label;
  std::string y_label;
  double y_max = 1;
  std::vector<double> x;          // Ascending, at least two; of lines.
  std::vector<std::string> bars;  // Not empty: of bars.
  std::vector<ChartSeries> series;
};

// A whole SVG file with the charts one below the other.
std::string SvgOf(const std::vector<Chart>& charts);

}  // namespace quire

#endif  // QUIRE_CLIENT_SVG_CHART_H_
