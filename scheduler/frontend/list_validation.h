#ifndef QUIRE_SCHEDULER_FRONTEND_LIST_VALIDATION_H_
#define QUIRE_SCHEDULER_FRONTEND_LIST_VALIDATION_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "common/ids.h"
#include "google/protobuf/repeated_field.h"

namespace quire {

// Checks of repeated fields. Each returns INVALID_ARGUMENT with the field, the
// index where there is one, the value and the limit.

absl::Status CheckCount(std::string_view field, size_t count, size_t limit);

inline bool IsInVocabulary(Token token, uint32_t vocabulary_size) {
  return token >= 0 && static_cast<uint32_t>(token) < vocabulary_size;
}

absl::Status CheckTokenIds(std::string_view field,
                           const google::protobuf::RepeatedField<int32_t>& ids,
                           uint32_t vocabulary_size);

// Of stop strings and bad words: at most 64, each 1 to 256 bytes.
absl::Status CheckStrings(
    std::string_view field,
    const google::protobuf::RepeatedPtrField<std::string>& strings);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_LIST_VALIDATION_H_
