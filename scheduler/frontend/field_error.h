#ifndef QUIRE_SCHEDULER_FRONTEND_FIELD_ERROR_H_
#define QUIRE_SCHEDULER_FRONTEND_FIELD_ERROR_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace quire {

// The one wording of a refused field: INVALID_ARGUMENT, `field is value;
// limit`, as in "sampling.temperature is -1; it must be finite and at least 0".
// `field` is its path in the request.
absl::Status FieldError(std::string_view field, const absl::AlphaNum& value,
                        std::string_view limit);

// The shortest digits that read back as `value`: 1.0000001, nan, -inf.
std::string FloatText(float value);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_FIELD_ERROR_H_
