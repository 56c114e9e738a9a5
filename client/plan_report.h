#ifndef QUIRE_CLIENT_PLAN_REPORT_H_
#define QUIRE_CLIENT_PLAN_REPORT_H_

#include <string>

#include "scheduler/sim/capacity_plan.h"

namespace quire {

// The answer as a table, and as one line of JSON.
std::string PlanText(const CapacityQuestion& question,
                     const CapacityAnswer& answer);
std::string PlanJson(const CapacityQuestion& question,
                     const CapacityAnswer& answer);

}  // namespace quire

#endif  // QUIRE_CLIENT_PLAN_REPORT_H_
