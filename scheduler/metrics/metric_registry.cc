#include "scheduler/metrics/metric_registry.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/check.h"
#include "prometheus/text_serializer.h"

namespace quire {
namespace {

// What every exporter calls its process; dashboards expect these names.
constexpr std::array<std::string_view, 6> kProcessMetrics = {
    "process_cpu_seconds_total",  "process_max_fds",
    "process_open_fds",           "process_resident_memory_bytes",
    "process_start_time_seconds", "process_virtual_memory_bytes",
};

enum class Kind { kCounter, kGauge, kHistogram };

bool IsSnakeCase(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name[0] >= 'a' && name[0] <= 'z' &&
         std::all_of(name.begin(), name.end(), fits);
}

bool IsGoodName(const std::string& name, Kind kind) {
  const bool ours = name.starts_with("quire_");
  const bool of_process =
      std::find(kProcessMetrics.begin(), kProcessMetrics.end(), name) !=
      kProcessMetrics.end();
  if (!IsSnakeCase(name) || !(ours || of_process)) return false;
  // Endings that the format gives a meaning of its own.
  for (const char* reserved : {"_count", "_sum", "_bucket"}) {
    if (name.ends_with(reserved)) return false;
  }
  return name.ends_with("_total") == (kind == Kind::kCounter);
}

bool IsGoodLabelName(const std::string& name) {
  return IsSnakeCase(name) && name != "le" && name != "quantile";
}

std::vector<std::string> LabelNames(const MetricLabels& labels) {
  std::vector<std::string> names;
  for (const auto& [name, value] : labels) {
    QUIRE_CHECK(IsGoodLabelName(name));
    names.push_back(name);
  }
  return names;
}

// What all metrics of one name have in common, and which exist.
struct Declaration {
  Kind kind;
  std::string help;
  std::vector<std::string> label_names;
  std::vector<double> buckets;
  std::set<MetricLabels> taken;
};

}  // namespace

struct MetricRegistry::State {
  // A name is one declaration, and a set of label values belongs to one owner.
  void Declare(const std::string& name, Kind kind, const std::string& help,
               const MetricLabels& labels,
               const std::vector<double>& buckets = {})
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    QUIRE_CHECK(IsGoodName(name, kind));
    QUIRE_CHECK(!help.empty());
    auto [it, is_new] = declarations.try_emplace(
        name, Declaration{kind, help, LabelNames(labels), buckets, {}});
    Declaration& declaration = it->second;
    QUIRE_CHECK(declaration.kind == kind);
    QUIRE_CHECK(declaration.help == help);
    QUIRE_CHECK(declaration.label_names == LabelNames(labels));
    QUIRE_CHECK(declaration.buckets == buckets);
    QUIRE_CHECK(declaration.taken.insert(labels).second);
  }

  prometheus::Registry registry;
  absl::Mutex mutex;
  std::map<std::string, Declaration> declarations ABSL_GUARDED_BY(mutex);
  std::vector<std::function<void()>> collectors ABSL_GUARDED_BY(mutex);
  // Collectors run one scrape at a time, and may add metrics.
  absl::Mutex collecting ABSL_ACQUIRED_BEFORE(mutex);
};

MetricRegistry::MetricRegistry() : state_(std::make_unique<State>()) {}
MetricRegistry::~MetricRegistry() = default;

prometheus::Counter* MetricRegistry::AddCounter(const std::string& name,
                                                const std::string& help,
                                                const MetricLabels& labels) {
  absl::MutexLock lock(&state_->mutex);
  state_->Declare(name, Kind::kCounter, help, labels);
  return &prometheus::BuildCounter()
              .Name(name)
              .Help(help)
              .Register(state_->registry)
              .Add(labels);
}

prometheus::Gauge* MetricRegistry::AddGauge(const std::string& name,
                                            const std::string& help,
                                            const MetricLabels& labels) {
  absl::MutexLock lock(&state_->mutex);
  state_->Declare(name, Kind::kGauge, help, labels);
  return &prometheus::BuildGauge()
              .Name(name)
              .Help(help)
              .Register(state_->registry)
              .Add(labels);
}

prometheus::Histogram* MetricRegistry::AddHistogram(
    const std::string& name, const std::string& help,
    const std::vector<double>& buckets, const MetricLabels& labels) {
  QUIRE_CHECK(!buckets.empty());
  QUIRE_CHECK(std::adjacent_find(buckets.begin(), buckets.end(),
                                 std::greater_equal<>()) == buckets.end());
  absl::MutexLock lock(&state_->mutex);
  state_->Declare(name, Kind::kHistogram, help, labels, buckets);
  return &prometheus::BuildHistogram()
              .Name(name)
              .Help(help)
              .Register(state_->registry)
              .Add(labels, buckets);
}

void MetricRegistry::AddCollector(std::function<void()> collect) {
  absl::MutexLock lock(&state_->mutex);
  state_->collectors.push_back(std::move(collect));
}

std::string MetricRegistry::Serialize() {
  absl::MutexLock collecting(&state_->collecting);
  std::vector<std::function<void()>> collectors;
  {
    absl::MutexLock lock(&state_->mutex);
    collectors = state_->collectors;
  }
  for (const auto& collect : collectors) collect();
  return prometheus::TextSerializer().Serialize(state_->registry.Collect());
}

}  // namespace quire
