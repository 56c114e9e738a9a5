#include "client/bench_command.h"

#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/bench_figures.h"
#include "client/bench_runner.h"
#include "client/bench_workload.h"
#include "client/connection_flags.h"
#include "common/clock.h"
#include "common/status_macros.h"

ABSL_FLAG(uint32_t, concurrency, 0,
          "Requests in flight at most; 0 = as the workload says.");
ABSL_FLAG(bool, sequential, false, "One request after another.");

namespace quire {
namespace {

constexpr char kDetails[] =
    "WORKLOAD has a line for each request: {\"id\", \"arrival_s\", "
    "\"prompt_ids\",\n\"max_tokens\"}. All are sampled greedily and run to "
    "max_tokens. Figures:\nnormalized_latency_s is the mean over requests of "
    "(finish - arrival) / output\ntokens; ttft_ms and gap_ms are the 50th and "
    "the 99th percentile of the time to\nthe first token and between two "
    "messages.\n";

constexpr absl::Duration kDrawInterval = absl::Milliseconds(200);

// Draws a bar on a terminal, not too often.
class ProgressBar {
 public:
  explicit ProgressBar(std::ostream& out) : out_(out) {}

  void Show(const BenchProgress& progress) {
    const bool done = progress.done == progress.total;
    if (!done && progress.elapsed - last_ < kDrawInterval) return;
    last_ = progress.elapsed;
    const double seconds = absl::ToDoubleSeconds(progress.elapsed);
    const size_t filled = progress.done * kWidth / progress.total;
    out_ << absl::StrFormat("\r[%s%s] %d of %d requests, %.0f tokens/s\x1b[K",
                            std::string(filled, '#'),
                            std::string(kWidth - filled, ' '), progress.done,
                            progress.total,
                            seconds > 0 ? progress.output_tokens / seconds : 0)
         << (done ? "\n" : "") << std::flush;
  }

 private:
  static constexpr size_t kWidth = 30;

  std::ostream& out_;
  absl::Duration last_;
};

absl::StatusOr<std::vector<WorkloadItem>> LoadWorkload(
    const std::vector<std::string>& arguments, Console& console) {
  if (arguments.size() != 1) {
    return absl::InvalidArgumentError(
        "quire bench takes one workload; - reads it from standard input");
  }
  if (arguments[0] == "-") return ReadWorkload(console.in);
  std::ifstream file(arguments[0]);
  if (!file) {
    return absl::NotFoundError(absl::StrCat("cannot read ", arguments[0]));
  }
  return ReadWorkload(file);
}

// The first failure, where there is one.
absl::Status FirstError(const std::vector<BenchRecord>& records) {
  for (const BenchRecord& record : records) {
    QUIRE_RETURN_IF_ERROR(record.status);
  }
  return absl::OkStatus();
}

absl::Status Bench(const std::vector<std::string>& arguments,
                   Console& console) {
  QUIRE_ASSIGN_OR_RETURN(const std::vector<WorkloadItem> workload,
                         LoadWorkload(arguments, console));
  const ServerConnection server = ConnectionFromFlags();
  const SystemClock clock;
  ProgressBar bar(console.err);
  BenchRunner::Options options;
  options.concurrency =
      absl::GetFlag(FLAGS_sequential) ? 1 : absl::GetFlag(FLAGS_concurrency);
  if (console.err_is_terminal) {
    options.report = [&bar](const BenchProgress& p) { bar.Show(p); };
  }
  BenchRunner runner(server, clock, workload, std::move(options));
  const std::vector<BenchRecord> records = runner.Run();
  const BenchFigures figures = ComputeBenchFigures(records, runner.wall());
  console.out << (JsonFromFlags() ? BenchFiguresJson(figures)
                                  : BenchFiguresText(figures));
  return FirstError(records);
}

}  // namespace

Command BenchCommand() {
  return {"bench",
          "WORKLOAD.jsonl",
          "plays a workload and prints its figures",
          kDetails,
          WithConnectionFlags({"concurrency", "sequential"}),
          Bench};
}

}  // namespace quire
