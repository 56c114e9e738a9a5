#include "client/json_lines.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace quire {
namespace {

// What is wrong, without the library's number for it and without its count of
// lines, which is 1.
std::string Reason(const nlohmann::json::exception& e) {
  absl::string_view text = e.what();
  const size_t end_of_number = text.find("] ");
  if (end_of_number != text.npos) text.remove_prefix(end_of_number + 2);
  absl::ConsumePrefix(&text, "parse error at line 1, ");
  return std::string(text);
}

absl::Status TakeLine(
    const std::string& line,
    const std::function<absl::Status(const nlohmann::json&)>& take) {
  nlohmann::json json;
  try {
    json = nlohmann::json::parse(line);
  } catch (const nlohmann::json::exception& e) {
    return absl::InvalidArgumentError(absl::StrCat("not JSON: ", Reason(e)));
  }
  if (json.is_object()) return take(json);
  return absl::InvalidArgumentError("not a JSON object");
}

}  // namespace

absl::Status ForEachJsonLine(
    std::istream& in,
    const std::function<absl::Status(const nlohmann::json&)>& take) {
  std::string line;
  int number = 1;
  for (; std::getline(in, line); ++number) {
    if (line.empty()) continue;
    const absl::Status status = TakeLine(line, take);
    if (status.ok()) continue;
    return {status.code(),
            absl::StrCat("line ", number, ": ", status.message())};
  }
  if (!in.bad()) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("line ", number, " cannot be read"));
}

}  // namespace quire
