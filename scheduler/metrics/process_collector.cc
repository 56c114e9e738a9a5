#include "scheduler/metrics/process_collector.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

namespace quire {
namespace {

// Of /proc/self/stat, see proc(5).
struct ProcessStat {
  double cpu_ticks = 0;    // In user and kernel mode.
  double start_ticks = 0;  // Since the machine booted.
  double virtual_bytes = 0;
  double resident_pages = 0;
};

ProcessStat ReadStat() {
  std::ifstream file("/proc/self/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  // The second field is the command in parentheses, which may hold spaces; the
  // third follows the last parenthesis.
  std::istringstream fields(text.substr(text.rfind(')') + 1));
  ProcessStat stat;
  std::string field;
  for (int number = 3; number <= 24 && fields >> field; ++number) {
    const double value = number == 3 ? 0 : std::stod(field);
    if (number == 14 || number == 15) stat.cpu_ticks += value;
    if (number == 22) stat.start_ticks = value;
    if (number == 23) stat.virtual_bytes = value;
    if (number == 24) stat.resident_pages = value;
  }
  return stat;
}

// Seconds since 1970.
double ReadBootTime() {
  std::ifstream file("/proc/stat");
  std::string word;
  double seconds = 0;
  while (file >> word) {
    if (word == "btime") file >> seconds;
  }
  return seconds;
}

double CountOpenFiles() {
  std::error_code error;
  const std::filesystem::directory_iterator files("/proc/self/fd", error);
  // One of them reads the folder.
  return error
             ? 0
             : static_cast<double>(std::distance(begin(files), end(files))) - 1;
}

double MaxOpenFiles() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  return static_cast<double>(limit.rlim_cur);
}

}  // namespace

void AddProcessMetrics(MetricRegistry* metrics) {
  auto* cpu = metrics->AddCounter("process_cpu_seconds_total",
                                  "User and system CPU time spent.");
  auto* open_files =
      metrics->AddGauge("process_open_fds", "Open file descriptors.");
  auto* resident = metrics->AddGauge("process_resident_memory_bytes",
                                     "Resident memory size.");
  auto* virtual_memory =
      metrics->AddGauge("process_virtual_memory_bytes", "Virtual memory size.");
  auto* start = metrics->AddGauge("process_start_time_seconds",
                                  "When the process started, since 1970.");
  metrics->AddGauge("process_max_fds", "Limit of open file descriptors.")
      ->Set(MaxOpenFiles());
  const double seconds_per_tick =
      1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  const double page_bytes = static_cast<double>(sysconf(_SC_PAGESIZE));
  const double boot_time = ReadBootTime();
  metrics->AddCollector([=] {
    const ProcessStat stat = ReadStat();
    cpu->Increment(
        std::max(0.0, stat.cpu_ticks * seconds_per_tick - cpu->Value()));
    resident->Set(stat.resident_pages * page_bytes);
    virtual_memory->Set(stat.virtual_bytes);
    start->Set(boot_time + stat.start_ticks * seconds_per_tick);
    open_files->Set(CountOpenFiles());
  });
}

void AddBuildInfo(MetricRegistry* metrics, const MetricLabels& labels) {
  metrics
      ->AddGauge("quire_build_info",
                 "Always 1; the labels say what this process is.", labels)
      ->Set(1);
}

}  // namespace quire
