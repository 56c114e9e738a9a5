#ifndef QUIRE_CLIENT_BENCH_FIGURES_H_
#define QUIRE_CLIENT_BENCH_FIGURES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace quire {

// What happened to one request. Times count from the start of the run.
struct BenchRecord {
  absl::Duration arrival;  // When the workload wanted it sent.
  absl::Duration
      start;  // When it was sent: later where the concurrency is limited.
  absl::Duration finish;
  std::vector<absl::Duration>
      token_times;  // Of each message that brought tokens.
  uint64_t prompt_tokens = 0;
  uint64_t cached_tokens = 0;  // Of the prompt, read from the cache.
  uint64_t output_tokens = 0;
  absl::Status status;  // Of a failed one nothing but this counts.
};

// The 50th and the 99th percentile, in milliseconds; 0 where there is nothing
// to order.
struct BenchPercentiles {
  double p50 = 0;
  double p99 = 0;
};

// The figures of a run.
struct BenchFigures {
  uint64_t requests = 0;  // That succeeded.
  uint64_t failed = 0;
  double wall_s = 0;
  uint64_t output_tokens = 0;
  double output_tok_s = 0;
  double total_tok_s = 0;  // Prompt and output.
  uint64_t cached_tokens = 0;
  // Mean over requests of (finish - arrival) / output tokens.
  double normalized_latency_s = 0;
  BenchPercentiles ttft_ms;  // From sending a request to its first token.
  BenchPercentiles gap_ms;   // Between two messages with tokens of one request.
};

// Computes the figures of a run that took `wall`.
BenchFigures ComputeBenchFigures(const std::vector<BenchRecord>& records,
                                 absl::Duration wall);

// One line of JSON, and a table.
std::string BenchFiguresJson(const BenchFigures& figures);
std::string BenchFiguresText(const BenchFigures& figures);

}  // namespace quire

#endif  // QUIRE_CLIENT_BENCH_FIGURES_H_
