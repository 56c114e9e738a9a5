#ifndef QUIRE_CLIENT_JSON_FIELDS_H_
#define QUIRE_CLIENT_JSON_FIELDS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/ids.h"
#include "nlohmann/json.hpp"

namespace quire {

// The fields of a JSON object that a user wrote. INVALID_ARGUMENT names the
// field, its value and what it must be.

absl::StatusOr<std::string> TextField(const nlohmann::json& object,
                                      const std::string& name);

// A finite number, `smallest` to `largest`.
absl::StatusOr<double> NumberField(const nlohmann::json& object,
                                   const std::string& name, double smallest,
                                   double largest);

// A whole number from `smallest` on.
absl::StatusOr<uint32_t> CountField(const nlohmann::json& object,
                                    const std::string& name, uint32_t smallest);

// A list, perhaps empty.
absl::StatusOr<std::vector<Token>> TokenIdsField(const nlohmann::json& object,
                                                 const std::string& name);

}  // namespace quire

#endif  // QUIRE_CLIENT_JSON_FIELDS_H_
