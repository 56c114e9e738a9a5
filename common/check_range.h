#ifndef QUIRE_COMMON_CHECK_RANGE_H_
#define QUIRE_COMMON_CHECK_RANGE_H_

#include <cstdint>

#include "absl/status/status.h"

namespace quire {

// INVALID_ARGUMENT where `value` lies outside: "block_size is 0, must be 1 to
// 1024". `name` is the option's or the field's.
absl::Status CheckRange(const char* name, uint64_t value, uint64_t smallest,
                        uint64_t largest);

}  // namespace quire

#endif  // QUIRE_COMMON_CHECK_RANGE_H_
