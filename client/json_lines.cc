#include "client/json_lines.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace quire {
namespace {

absl::Status TakeLine(
    const std::string& line,
    const std::function<absl::Status(const nlohmann::json&)>& take) {
  const nlohmann::json json =
      nlohmann::json::parse(line, /*cb=*/nullptr, /*allow_exceptions=*/false);
  if (json.is_object()) return take(json);
  return absl::InvalidArgumentError("not a JSON object");
}

}  // namespace

absl::Status ForEachJsonLine(
    std::istream& in,
    const std::function<absl::Status(const nlohmann::json&)>& take) {
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    const absl::Status status = TakeLine(line, take);
    if (status.ok()) continue;
    return {status.code(),
            absl::StrCat("line ", number, ": ", status.message())};
  }
  return absl::OkStatus();
}

}  // namespace quire
