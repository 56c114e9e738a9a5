#include "client/simulation_report.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/message_json.h"

namespace quire {
namespace {

using Json = nlohmann::ordered_json;

double Round(double value) { return std::round(value * 1e4) / 1e4; }

Json ToJson(const Percentiles& values) {
  return {Round(values.p50), Round(values.p90), Round(values.p99)};
}

double ShareOfTotal(double slots, const MeanOccupancy& occupancy) {
  return occupancy.total == 0 ? 0
                              : slots / static_cast<double>(occupancy.total);
}

Json ToJson(const MeanOccupancy& occupancy) {
  const auto share = [&](double slots) {
    return Round(ShareOfTotal(slots, occupancy));
  };
  return {{"allocated", share(occupancy.allocated)},
          {"tokens", share(occupancy.tokens)},
          {"reserved", share(occupancy.reserved)},
          {"over_reserved", share(occupancy.over_reserved)},
          {"saved_by_sharing", Round(occupancy.saved_share())}};
}

std::string SchedulerText(const SimulationFigures& figures) {
  return absl::StrFormat(
      "\nThe scheduler itself, on this machine, a step (median, 99th "
      "percentile)\n"
      "plan                %.1f us, %.1f us\n"
      "serialize           %.1f us, %.1f us\n"
      "commit              %.1f us, %.1f us\n"
      "size of a plan      %.0f B, %.0f B\n",
      figures.plan_us.p50, figures.plan_us.p99, figures.serialize_us.p50,
      figures.serialize_us.p99, figures.commit_us.p50, figures.commit_us.p99,
      figures.plan_bytes.p50, figures.plan_bytes.p99);
}

}  // namespace

std::string SimulationJson(const SimulationFigures& figures, bool paged) {
  Json json = {
      {"requests", figures.num_requests},
      {"refused", figures.num_refused},
      {"duration_s", Round(figures.duration_s)},
      {"output_tok_s", Round(figures.output_tokens_per_s)},
      {"mean_token_latency_s", Round(figures.mean_token_latency_s)},
      {"token_latency_s", ToJson(figures.token_latency_s)},
      {"ttft_s", ToJson(figures.first_token_s)},
      {"tbt_s", ToJson(figures.between_tokens_s)},
      {"steps", figures.num_steps},
      {"rows_per_step", Round(figures.rows_per_step)},
      {"preemptions", figures.num_preemptions},
      {"swap_preemptions", figures.num_swap_preemptions},
      {"batched_requests", Round(figures.occupancy.num_running)},
      {"most_batched_requests", figures.occupancy.most_running},
      {"slots", ToJson(figures.occupancy)},
  };
  if (paged) {
    json["plan_us"] = ToJson(figures.plan_us);
    json["serialize_us"] = ToJson(figures.serialize_us);
    json["commit_us"] = ToJson(figures.commit_us);
    json["plan_bytes"] = ToJson(figures.plan_bytes);
  }
  return ToLine(json) + "\n";
}

std::string SimulationText(const SimulationFigures& figures, bool paged) {
  const MeanOccupancy& occupancy = figures.occupancy;
  const auto percent = [&](double slots) {
    return 100 * ShareOfTotal(slots, occupancy);
  };
  std::string text = absl::StrFormat(
      "requests            %d, %d refused\n"
      "modelled time       %.1f s\n"
      "output              %.1f tokens/s\n"
      "token latency       %.4f s, 99th percentile %.4f s, mean %.4f s\n"
      "first token         %.3f s, 99th percentile %.3f s\n"
      "between tokens      %.4f s, 99th percentile %.4f s\n"
      "steps               %d of %.1f rows\n"
      "preemptions         %d, %d of them by swapping\n"
      "batched requests    %.2f\n"
      "KV cache            %.1f %% allocated: %.1f %% tokens, %.1f %% "
      "reserved, "
      "%.1f %% reserved in vain\n"
      "saved by sharing    %.1f %% of what would be allocated without\n",
      figures.num_requests, figures.num_refused, figures.duration_s,
      figures.output_tokens_per_s, figures.token_latency_s.p50,
      figures.token_latency_s.p99, figures.mean_token_latency_s,
      figures.first_token_s.p50, figures.first_token_s.p99,
      figures.between_tokens_s.p50, figures.between_tokens_s.p99,
      figures.num_steps, figures.rows_per_step, figures.num_preemptions,
      figures.num_swap_preemptions, occupancy.num_running,
      percent(occupancy.allocated), percent(occupancy.tokens),
      percent(occupancy.reserved), percent(occupancy.over_reserved),
      100 * occupancy.saved_share());
  if (paged) text += SchedulerText(figures);
  return text;
}

}  // namespace quire
