#include "client/bench_command.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/bench_figures.h"
#include "client/bench_runner.h"
#include "client/bench_workload.h"
#include "client/command_line_error.h"
#include "client/connection_flags.h"
#include "common/clock.h"
#include "common/status_macros.h"

ABSL_FLAG(uint32_t, concurrency, 0,
          "Requests in flight at most; 0 = as the workload says.");
ABSL_FLAG(bool, sequential, false, "One request after another.");

namespace quire {
namespace {

constexpr char kDetails[] =
    R"(WORKLOAD.jsonl, or - for standard input, has a line for each request:

  {"id": 0, "arrival_s": 0.5, "prompt_ids": [1, 2], "max_tokens": 64}

It is sent arrival_s seconds after the start, sampled greedily and run to
max_tokens. Of the figures, normalized_latency_s is the mean over requests of
(finish - arrival) / output tokens; ttft_ms and gap_ms are the 50th and the 99th
percentile of the time to the first token and between two messages.
)";

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

absl::StatusOr<std::vector<WorkloadItem>> LoadFile(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return absl::InvalidArgumentError("a folder, not a file");
  }
  std::ifstream file(path);
  if (!file) {
    return absl::NotFoundError(
        absl::StrCat("cannot be read: ", std::strerror(errno)));
  }
  return ReadWorkload(file);
}

// An error says where it was found.
absl::StatusOr<std::vector<WorkloadItem>> NameSource(
    const std::string& source,
    absl::StatusOr<std::vector<WorkloadItem>> workload) {
  if (workload.ok()) return workload;
  return absl::Status(workload.status().code(),
                      absl::StrCat(source, ": ", workload.status().message()));
}

absl::StatusOr<std::vector<WorkloadItem>> LoadWorkload(
    const std::vector<std::string>& arguments, Console& console) {
  if (arguments.size() != 1) {
    return CommandLineError(
        "quire bench takes one workload; - reads it from standard input");
  }
  if (arguments[0] == "-") {
    return NameSource("standard input", ReadWorkload(console.in));
  }
  return NameSource(arguments[0], LoadFile(arguments[0]));
}

// How many requests failed, and why the first one did.
absl::Status Failures(const std::vector<BenchRecord>& records,
                      uint64_t num_failed) {
  for (const BenchRecord& record : records) {
    if (record.status.ok()) continue;
    return {record.status.code(),
            absl::StrCat(
                num_failed, " of ", records.size(),
                " requests failed, the first one: ", record.status.message())};
  }
  return absl::OkStatus();
}

absl::Status Bench(const std::vector<std::string>& arguments,
                   Console& console) {
  QUIRE_ASSIGN_OR_RETURN(const std::vector<WorkloadItem> workload,
                         LoadWorkload(arguments, console));
  QUIRE_ASSIGN_OR_RETURN(const ServerConnection server, ConnectionFromFlags());
  const SystemClock clock;
  ProgressBar bar(console.err);
  BenchRunner::Options options;
  options.concurrency =
      absl::GetFlag(FLAGS_sequential) ? 1 : absl::GetFlag(FLAGS_concurrency);
  options.call_limit = CallLimitFromFlags();
  if (console.err_is_terminal) {
    options.report = [&bar](const BenchProgress& p) { bar.Show(p); };
  }
  BenchRunner runner(server, clock, workload, std::move(options));
  const std::vector<BenchRecord> records = runner.Run();
  const BenchFigures figures = ComputeBenchFigures(records, runner.wall());
  console.out << (JsonFromFlags() ? BenchFiguresJson(figures)
                                  : BenchFiguresText(figures));
  return Failures(records, figures.failed);
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
