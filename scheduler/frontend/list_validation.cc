#include "scheduler/frontend/list_validation.h"

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "common/strings.h"
#include "scheduler/frontend/field_error.h"

namespace quire {
namespace {

constexpr size_t kMaxStrings = 64;
constexpr size_t kMaxStringBytes = 256;

}  // namespace

absl::Status CheckCount(std::string_view field, size_t count, size_t limit) {
  if (count <= limit) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      ToAbsl(field), " has ", count, " entries; it must have at most ", limit));
}

absl::Status CheckTokenIds(std::string_view field,
                           const google::protobuf::RepeatedField<int32_t>& ids,
                           uint32_t vocabulary_size) {
  for (int i = 0; i < ids.size(); ++i) {
    if (IsInVocabulary(ids[i], vocabulary_size)) continue;
    return FieldError(
        absl::StrCat(ToAbsl(field), "[", i, "]"), ids[i],
        absl::StrCat("it must be at least 0 and below the vocabulary size, ",
                     vocabulary_size));
  }
  return absl::OkStatus();
}

absl::Status CheckStrings(
    std::string_view field,
    const google::protobuf::RepeatedPtrField<std::string>& strings) {
  QUIRE_RETURN_IF_ERROR(CheckCount(field, strings.size(), kMaxStrings));
  for (int i = 0; i < strings.size(); ++i) {
    if (!strings[i].empty() && strings[i].size() <= kMaxStringBytes) continue;
    return absl::InvalidArgumentError(
        absl::StrCat(ToAbsl(field), "[", i, "] has ", strings[i].size(),
                     " bytes; it must have 1 to ", kMaxStringBytes));
  }
  return absl::OkStatus();
}

}  // namespace quire
