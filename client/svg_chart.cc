#include "client/svg_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace quire {
namespace {

constexpr int kWidth = 640;
constexpr int kHeight = 320;  // Of one chart.
// The plot within a chart; the legend stands right of it.
constexpr double kLeft = 60;
constexpr double kRight = 480;
constexpr double kTop = 40;
constexpr double kBottom = 270;
constexpr int kMaxTicks = 6;  // Of an axis, the one at its origin left out.

// Of lines: Okabe and Ito's palette, which people who are colour-blind can tell
// apart.
constexpr std::array<const char*, 6> kColours = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};
// Of the parts of bars.
constexpr std::array<const char*, 4> kGreys = {"#222222", "#777777", "#aaaaaa",
                                               "#dddddd"};

const char* ColourOf(const Chart& chart, size_t series) {
  return chart.bars.empty() ? kColours[series % kColours.size()]
                            : kGreys[series % kGreys.size()];
}

// An axis between two round numbers, with ticks at round numbers.
struct Axis {
  double least = 0;
  double step = 1;
  int num_steps = 1;

  double at(int tick) const { return least + step * tick; }
  double most() const { return at(num_steps); }
};

// The smallest step of 1, 2 or 5 times a power of ten that is at least `least`.
double RoundStep(double least) {
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double digit : {1, 2, 5}) {
    if (digit * power >= least) return digit * power;
  }
  return 10 * power;
}

Axis AxisOver(double least, double most) {
  Axis axis;
  axis.step = RoundStep((most - least) / kMaxTicks);
  const double first = std::floor(least / axis.step);
  axis.least = first * axis.step;
  axis.num_steps = static_cast<int>(std::ceil(most / axis.step) - first);
  return axis;
}

std::string Text(double x, double y, const char* anchor,
                 const std::string& text) {
  const std::string escaped =
      absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}});
  return absl::StrFormat(
      "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s"
      "</text>\n",
      x, y, anchor, escaped);
}

double YOf(const Chart& chart, double value) {
  const double share = std::clamp(value / chart.y_max, 0.0, 1.0);
  return kBottom - share * (kBottom - kTop);
}

Axis XAxis(const Chart& chart) {
  return AxisOver(chart.x.front(), chart.x.back());
}

double XOf(const Chart& chart, double x) {
  const Axis axis = XAxis(chart);
  return kLeft +
         (x - axis.least) / (axis.most() - axis.least) * (kRight - kLeft);
}

std::string Frame(const Chart& chart) {
  std::string svg = absl::StrFormat(
      "<path d=\"M%.1f %.1f V%.1f H%.1f\" fill=\"none\" stroke=\"black\"/>\n",
      kLeft, kTop, kBottom, kRight);
  svg += Text(kLeft, kTop - 20, "start", chart.title);
  svg += Text((kLeft + kRight) / 2, kBottom + 35, "middle", chart.x_label);
  svg += Text(kLeft, kTop - 5, "start", chart.y_label);
  const Axis axis = AxisOver(0, chart.y_max);
  for (int tick = 0; tick <= axis.num_steps; ++tick) {
    const double value = axis.at(tick);
    if (value > chart.y_max) break;
    svg += Text(kLeft - 6, YOf(chart, value) + 4, "end",
                absl::StrFormat("%.4g", value));
  }
  return svg;
}

std::string Dashed(double x, double x_end, double y) {
  return absl::StrFormat(
      "<path d=\"M%.1f %.1f H%.1f\" stroke=\"black\" "
      "stroke-dasharray=\"4 3\"/>\n",
      x, y, x_end);
}

std::string Legend(const Chart& chart) {
  std::string svg;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    const double y = kTop + 18.0 * static_cast<double>(i);
    svg += absl::StrFormat(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" "
        "fill=\"%s\"/>\n",
        kRight + 15, y, ColourOf(chart, i));
    svg += Text(kRight + 32, y + 10, "start", chart.series[i].name);
  }
  return svg;
}

// The line itself, and its name below the legend.
std::string LimitOf(const Chart& chart) {
  if (!chart.limit.has_value()) return "";
  const double y = kTop + 18.0 * static_cast<double>(chart.series.size()) + 6;
  std::string svg;
  svg += Dashed(kLeft, kRight, YOf(chart, chart.limit->value));
  svg += Dashed(kRight + 15, kRight + 27, y);
  svg += Text(kRight + 32, y + 4, "start", chart.limit->name);
  return svg;
}

// The parts of a line that lie within the chart, as points. They end where the
// line crosses y_max.
std::vector<std::string> VisibleParts(const Chart& chart,
                                      const std::vector<double>& values) {
  std::vector<std::string> parts;
  bool is_visible = false;
  const auto add = [&](double x, double y) {
    if (!is_visible) parts.emplace_back();
    is_visible = true;
    absl::StrAppendFormat(&parts.back(), "%.1f,%.1f ", XOf(chart, x),
                          YOf(chart, y));
  };
  for (size_t i = 0; i < values.size(); ++i) {
    const bool is_above = values[i] > chart.y_max;
    if (i > 0 && is_above != (values[i - 1] > chart.y_max)) {
      const double share =
          (chart.y_max - values[i - 1]) / (values[i] - values[i - 1]);
      add(std::lerp(chart.x[i - 1], chart.x[i], share), chart.y_max);
    }
    if (is_above) {
      is_visible = false;
    } else {
      add(chart.x[i], values[i]);
    }
  }
  return parts;
}

std::string Lines(const Chart& chart) {
  std::string svg = LimitOf(chart);
  const Axis axis = XAxis(chart);
  for (int tick = 0; tick <= axis.num_steps; ++tick) {
    const double x = axis.at(tick);
    svg +=
        Text(XOf(chart, x), kBottom + 16, "middle", absl::StrFormat("%.4g", x));
  }
  for (size_t i = 0; i < chart.series.size(); ++i) {
    for (const std::string& points :
         VisibleParts(chart, chart.series[i].values)) {
      svg += absl::StrFormat(
          "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" "
          "stroke-width=\"2\"/>\n",
          points, ColourOf(chart, i));
    }
  }
  return svg;
}

std::string Bars(const Chart& chart) {
  std::string svg;
  const double pitch =
      (kRight - kLeft) / static_cast<double>(chart.bars.size());
  for (size_t bar = 0; bar < chart.bars.size(); ++bar) {
    const double x = kLeft + pitch * static_cast<double>(bar);
    svg += Text(x + pitch / 2, kBottom + 16, "middle", chart.bars[bar]);
    double below = 0;
    for (size_t i = 0; i < chart.series.size(); ++i) {
      const double above = below + chart.series[i].values[bar];
      svg += absl::StrFormat(
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" "
          "fill=\"%s\"/>\n",
          x + pitch / 5, YOf(chart, above), pitch * 3 / 5,
          YOf(chart, below) - YOf(chart, above), ColourOf(chart, i));
      below = above;
    }
  }
  return svg;
}

}  // namespace

std::string SvgOf(const std::vector<Chart>& charts) {
  const int height = kHeight * static_cast<int>(charts.size());
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
      "font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
      kWidth, height);
  for (size_t i = 0; i < charts.size(); ++i) {
    const Chart& chart = charts[i];
    absl::StrAppend(&svg, "<g transform=\"translate(0 ",
                    kHeight * static_cast<int>(i), ")\">\n", Frame(chart),
                    chart.bars.empty() ? Lines(chart) : Bars(chart),
                    Legend(chart), "</g>\n");
  }
  return svg + "</svg>\n";
}

}  // namespace quire
