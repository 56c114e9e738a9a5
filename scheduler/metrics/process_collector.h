#ifndef QUIRE_SCHEDULER_METRICS_PROCESS_COLLECTOR_H_
#define QUIRE_SCHEDULER_METRICS_PROCESS_COLLECTOR_H_

#include "scheduler/metrics/metric_registry.h"

namespace quire {

// Adds what every exporter tells of its process, read from /proc at each
// scrape: process_cpu_seconds_total, process_open_fds, process_max_fds,
// process_resident_memory_bytes, process_virtual_memory_bytes,
// process_start_time_seconds. Once a registry.
void AddProcessMetrics(MetricRegistry* metrics);

// Adds quire_build_info, always 1, whose labels say which model and build it
// is.
void AddBuildInfo(MetricRegistry* metrics, const MetricLabels& labels);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_METRICS_PROCESS_COLLECTOR_H_
