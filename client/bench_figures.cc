#include "client/bench_figures.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "client/message_json.h"
#include "client/units.h"

namespace quire {
namespace {

double Round(double value, double steps_per_unit) {
  return std::round(value * steps_per_unit) / steps_per_unit;
}

double PercentileMs(const std::vector<absl::Duration>& sorted, double share) {
  if (sorted.empty()) return 0;
  const auto index = static_cast<size_t>(share * sorted.size());
  return absl::ToDoubleMilliseconds(sorted[std::min(index, sorted.size() - 1)]);
}

BenchPercentiles PercentilesMs(std::vector<absl::Duration> values) {
  std::sort(values.begin(), values.end());
  return {PercentileMs(values, 0.5), PercentileMs(values, 0.99)};
}

double NormalizedLatency(const BenchRecord& record) {
  return absl::ToDoubleSeconds(record.finish - record.arrival) /
         static_cast<double>(std::max<uint64_t>(record.output_tokens, 1));
}

void AppendGaps(const BenchRecord& record, std::vector<absl::Duration>& gaps) {
  for (size_t i = 1; i < record.token_times.size(); ++i) {
    gaps.push_back(record.token_times[i] - record.token_times[i - 1]);
  }
}

nlohmann::ordered_json ToJson(const BenchPercentiles& values) {
  return {Round(values.p50, 100), Round(values.p99, 100)};
}

}  // namespace

BenchFigures ComputeBenchFigures(const std::vector<BenchRecord>& records,
                                 absl::Duration wall) {
  BenchFigures figures;
  uint64_t prompt_tokens = 0;
  double latencies = 0;
  std::vector<absl::Duration> ttft;
  std::vector<absl::Duration> gaps;
  for (const BenchRecord& record : records) {
    if (!record.status.ok()) {
      ++figures.failed;
      continue;
    }
    ++figures.requests;
    prompt_tokens += record.prompt_tokens;
    figures.output_tokens += record.output_tokens;
    figures.cached_tokens += record.cached_tokens;
    latencies += NormalizedLatency(record);
    if (!record.token_times.empty()) {
      ttft.push_back(record.token_times.front() - record.start);
    }
    AppendGaps(record, gaps);
  }
  figures.wall_s = absl::ToDoubleSeconds(wall);
  figures.output_tok_s = figures.output_tokens / figures.wall_s;
  figures.total_tok_s =
      (prompt_tokens + figures.output_tokens) / figures.wall_s;
  if (figures.requests > 0) {
    figures.normalized_latency_s = latencies / figures.requests;
  }
  figures.ttft_ms = PercentilesMs(std::move(ttft));
  figures.gap_ms = PercentilesMs(std::move(gaps));
  return figures;
}

std::string BenchFiguresJson(const BenchFigures& figures) {
  const nlohmann::ordered_json json = {
      {"requests", figures.requests},
      {"failed", figures.failed},
      {"wall_s", Round(figures.wall_s, 1e3)},
      {"output_tokens", figures.output_tokens},
      {"output_tok_s", Round(figures.output_tok_s, 10)},
      {"total_tok_s", Round(figures.total_tok_s, 10)},
      {"cached_tokens", figures.cached_tokens},
      {"normalized_latency_s", Round(figures.normalized_latency_s, 1e4)},
      {"ttft_ms", ToJson(figures.ttft_ms)},
      {"gap_ms", ToJson(figures.gap_ms)},
  };
  return ToLine(json) + "\n";
}

std::string BenchFiguresText(const BenchFigures& figures) {
  return absl::StrFormat(
      "requests            %d, %d failed\n"
      "wall time           %.3f s\n"
      "output              %.1f tokens/s\n"
      "prompt and output   %.1f tokens/s\n"
      "cached              %s prompt tokens\n"
      "normalized latency  %.4f s a token\n"
      "first token         %.2f ms, 99th percentile %.2f ms\n"
      "gap                 %.2f ms, 99th percentile %.2f ms\n",
      figures.requests, figures.failed, figures.wall_s, figures.output_tok_s,
      figures.total_tok_s, FormatCount(figures.cached_tokens),
      figures.normalized_latency_s, figures.ttft_ms.p50, figures.ttft_ms.p99,
      figures.gap_ms.p50, figures.gap_ms.p99);
}

}  // namespace quire
