#include "client/svg_chart.h"

#include <algorithm>
#include <array>
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
constexpr int kTicks = 5;

// Okabe and Ito's palette, which people who are colour-blind can tell apart.
constexpr std::array<const char*, 6> kColours = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

const char* ColourOf(size_t series) {
  return kColours[series % kColours.size()];
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

double XOf(const Chart& chart, double x) {
  const double share =
      (x - chart.x.front()) / (chart.x.back() - chart.x.front());
  return kLeft + share * (kRight - kLeft);
}

std::string Frame(const Chart& chart) {
  std::string svg = absl::StrFormat(
      "<path d=\"M%.1f %.1f V%.1f H%.1f\" fill=\"none\" stroke=\"black\"/>\n",
      kLeft, kTop, kBottom, kRight);
  svg += Text(kLeft, kTop - 20, "start", chart.title);
  svg += Text((kLeft + kRight) / 2, kBottom + 35, "middle", chart.x_label);
  svg += Text(kLeft, kTop - 5, "start", chart.y_label);
  for (int i = 0; i <= kTicks; ++i) {
    const double value = chart.y_max * i / kTicks;
    svg += Text(kLeft - 6, YOf(chart, value) + 4, "end",
                absl::StrFormat("%.4g", value));
  }
  return svg;
}

std::string Legend(const Chart& chart) {
  std::string svg;
  for (size_t i = 0; i < chart.series.size(); ++i) {
    const double y = kTop + 18.0 * static_cast<double>(i);
    svg += absl::StrFormat(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"12\" height=\"12\" "
        "fill=\"%s\"/>\n",
        kRight + 15, y, ColourOf(i));
    svg += Text(kRight + 32, y + 10, "start", chart.series[i].name);
  }
  return svg;
}

std::string Lines(const Chart& chart) {
  std::string svg;
  for (int i = 0; i <= kTicks; ++i) {
    const double x =
        chart.x.front() + (chart.x.back() - chart.x.front()) * i / kTicks;
    svg +=
        Text(XOf(chart, x), kBottom + 16, "middle", absl::StrFormat("%.4g", x));
  }
  for (size_t i = 0; i < chart.series.size(); ++i) {
    std::string points;
    for (size_t j = 0; j < chart.x.size(); ++j) {
      absl::StrAppendFormat(&points, "%.1f,%.1f ", XOf(chart, chart.x[j]),
                            YOf(chart, chart.series[i].values[j]));
    }
    svg += absl::StrFormat(
        "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" "
        "stroke-width=\"2\"/>\n",
        points, ColourOf(i));
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
          YOf(chart, below) - YOf(chart, above), ColourOf(i));
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
