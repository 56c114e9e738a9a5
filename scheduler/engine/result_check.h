#ifndef QUIRE_SCHEDULER_ENGINE_RESULT_CHECK_H_
#define QUIRE_SCHEDULER_ENGINE_RESULT_CHECK_H_

#include <span>

#include "absl/status/status.h"
#include "quire/worker/v1/result.pb.h"
#include "scheduler/engine/run.h"

namespace quire {

// Whether rank 0's result holds exactly what the runs of its step ask for: a
// token for each run that samples, scores for each prompt token, in the order
// of the runs, with as many alternatives as each asks for, parallel arrays of
// one length. INTERNAL says what is missing, too much or in the wrong place.
// After OK a reader needs no checks of its own.
absl::Status CheckResult(std::span<const Run> runs,
                         const worker::v1::StepResult& result);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ENGINE_RESULT_CHECK_H_
