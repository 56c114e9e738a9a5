#ifndef QUIRE_SCHEDULER_FRONTEND_SAMPLING_VALIDATION_H_
#define QUIRE_SCHEDULER_FRONTEND_SAMPLING_VALIDATION_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "quire/v1/quire.pb.h"
#include "quire/worker/v1/plan.pb.h"

namespace quire {

// The worker's form of `options`, with every default resolved as quire.proto
// says; bad words, whose tokens are made later, are only measured.
// `random_seed` stands in where the client gives none. INVALID_ARGUMENT: a
// field beyond its limit.
absl::StatusOr<worker::v1::Sampling> ResolveSampling(
    const v1::SamplingOptions& options, uint32_t vocabulary_size,
    uint64_t random_seed);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_SAMPLING_VALIDATION_H_
