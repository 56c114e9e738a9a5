#ifndef QUIRE_SCHEDULER_METRICS_METRIC_REGISTRY_H_
#define QUIRE_SCHEDULER_METRICS_METRIC_REGISTRY_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "prometheus/counter.h"
#include "prometheus/gauge.h"
#include "prometheus/histogram.h"
#include "prometheus/registry.h"

namespace quire {

using MetricLabels = std::map<std::string, std::string>;

// The process's metrics, exposed as text on the admin port. Each component
// declares its own, once, beside the code that moves them, and keeps the
// pointers: moving a metric then takes nanoseconds and no lock. Names start
// with "quire_" and follow Prometheus' rules (base units, counters end in
// _total); a bad or repeated one is a bug and ends the process. Thread-safe.
// Pointers live as long as the registry.
class MetricRegistry {
 public:
  MetricRegistry();
  ~MetricRegistry();

  // The same name may be added again with other values for the same label names
  // and the same help.
  prometheus::Counter* AddCounter(const std::string& name,
                                  const std::string& help,
                                  const MetricLabels& labels = {});
  prometheus::Gauge* AddGauge(const std::string& name, const std::string& help,
                              const MetricLabels& labels = {});
  // `buckets`: ascending upper bounds, without +Inf.
  prometheus::Histogram* AddHistogram(const std::string& name,
                                      const std::string& help,
                                      const std::vector<double>& buckets,
                                      const MetricLabels& labels = {});

  // Called before each Serialize, for values that are read rather than moved
  // (process figures).
  void AddCollector(std::function<void()> collect);

  // The text exposition format, version 0.0.4.
  std::string Serialize();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_METRICS_METRIC_REGISTRY_H_
