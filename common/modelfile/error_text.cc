#include "common/modelfile/error_text.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "common/strings.h"

namespace quire {
namespace {

constexpr size_t kMaxQuotedBytes = 80;

}  // namespace

std::string Quoted(std::string_view name) {
  const bool is_long = name.size() > kMaxQuotedBytes;
  return absl::StrCat("'",
                      absl::CHexEscape(ToAbsl(name.substr(0, kMaxQuotedBytes))),
                      is_long ? "...'" : "'");
}

absl::Status InFile(std::string_view path, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(),
                      absl::StrCat(ToAbsl(path), ": ", status.message()));
}

}  // namespace quire
