#include "common/modelfile/safetensors_file.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/modelfile/byte_reader.h"
#include "common/modelfile/error_text.h"
#include "common/modelfile/json_file.h"
#include "common/modelfile/tensor_layout.h"
#include "common/status_macros.h"
#include "common/strings.h"

namespace quire {
namespace {

using Json = nlohmann::json;

// The format's own limit, and a depth that its three levels never reach.
constexpr JsonLimits kHeaderLimits = {.max_bytes = 100'000'000, .max_depth = 8};

constexpr auto kTypes = std::to_array<std::pair<std::string_view, TensorType>>({
    {"F32", TensorType::kF32},
    {"F16", TensorType::kF16},
    {"BF16", TensorType::kBF16},
});

std::optional<TensorType> SupportedType(std::string_view dtype) {
  for (const auto& [name, type] : kTypes) {
    if (name == dtype) return type;
  }
  return std::nullopt;
}

struct Entry {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  uint64_t begin = 0;  // From the start of the data.
  uint64_t end = 0;
};

absl::StatusOr<Entry> ReadEntry(const std::string& name, const Json& value) {
  QUIRE_ASSIGN_OR_RETURN(
      const JsonFields fields,
      JsonFields::Of(value, absl::StrCat("tensor ", Quoted(name))));
  Entry entry = {.name = name};
  QUIRE_ASSIGN_OR_RETURN(entry.dtype, fields.GetString("dtype"));
  if (!fields.Has("shape") || !fields.Find("shape")->is_array()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor ", Quoted(name), ": field 'shape' must be a list"));
  }
  QUIRE_ASSIGN_OR_RETURN(entry.shape, fields.GetInts("shape"));
  QUIRE_ASSIGN_OR_RETURN(const std::vector<int64_t> offsets,
                         fields.GetInts("data_offsets"));
  if (offsets.size() != 2 || offsets[0] < 0 || offsets[1] < offsets[0]) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor ", Quoted(name),
                     ": field 'data_offsets' must be two numbers, begin and "
                     "end, not negative and in order"));
  }
  entry.begin = static_cast<uint64_t>(offsets[0]);
  entry.end = static_cast<uint64_t>(offsets[1]);
  return entry;
}

absl::StatusOr<std::vector<Entry>> ReadEntries(std::string_view header) {
  QUIRE_ASSIGN_OR_RETURN(const Json json, ParseJson(header, kHeaderLimits));
  if (!json.is_object()) {
    return absl::InvalidArgumentError("the header is not a JSON object");
  }
  std::vector<Entry> entries;
  for (const auto& [name, value] : json.items()) {
    if (name == "__metadata__") continue;
    QUIRE_ASSIGN_OR_RETURN(Entry entry, ReadEntry(name, value));
    entries.push_back(std::move(entry));
  }
  return entries;
}

// The format's rule: the tensors fill the data from its first byte to its last.
absl::Status CheckCoverage(const std::vector<Entry>& entries,
                           uint64_t data_size) {
  std::vector<const Entry*> by_place;
  by_place.reserve(entries.size());
  for (const Entry& entry : entries) by_place.push_back(&entry);
  std::sort(by_place.begin(), by_place.end(),
            [](const Entry* a, const Entry* b) {
              return std::pair(a->begin, a->end) < std::pair(b->begin, b->end);
            });
  uint64_t end = 0;
  for (const Entry* entry : by_place) {
    if (entry->begin != end) {
      return absl::InvalidArgumentError(absl::StrCat(
          "tensor ", Quoted(entry->name), " begins at byte ", entry->begin,
          " of the data, the one before it ends at ", end));
    }
    end = entry->end;
  }
  if (end != data_size) {
    return absl::InvalidArgumentError(
        absl::StrCat("the tensors end at byte ", end,
                     " of the data, the file at ", data_size));
  }
  return absl::OkStatus();
}

absl::StatusOr<TensorView> MakeView(Entry entry, TensorType type,
                                    std::span<const std::byte> data) {
  const absl::StatusOr<uint64_t> size = TensorByteSize(type, entry.shape);
  if (!size.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor ", Quoted(entry.name), ": ", size.status().message()));
  }
  if (*size != entry.end - entry.begin) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor ", Quoted(entry.name), ": shape ", ShapeText(entry.shape),
        " of ", entry.dtype, " needs ", *size, " bytes, its offsets span ",
        entry.end - entry.begin));
  }
  return TensorView{.name = std::move(entry.name),
                    .type = type,
                    .shape = std::move(entry.shape),
                    .data = data.subspan(entry.begin, entry.end - entry.begin)};
}

}  // namespace

absl::StatusOr<std::unique_ptr<SafetensorsFile>> SafetensorsFile::Open(
    const std::string& path) {
  QUIRE_ASSIGN_OR_RETURN(std::unique_ptr<MappedFile> mapped,
                         MappedFile::Open(path));
  std::unique_ptr<SafetensorsFile> file(new SafetensorsFile(std::move(mapped)));
  QUIRE_RETURN_IF_ERROR(InFile(path, file->Parse()));
  return file;
}

absl::Status SafetensorsFile::Parse() {
  ByteReader reader(file_->bytes());
  QUIRE_ASSIGN_OR_RETURN(const std::string_view header,
                         reader.ReadString("the header"));
  QUIRE_ASSIGN_OR_RETURN(std::vector<Entry> entries, ReadEntries(header));
  const auto data = file_->bytes().subspan(reader.offset());
  QUIRE_RETURN_IF_ERROR(CheckCoverage(entries, data.size()));
  for (Entry& entry : entries) {
    const std::optional<TensorType> type = SupportedType(entry.dtype);
    if (!type.has_value()) {
      unsupported_.emplace(std::move(entry.name), std::move(entry.dtype));
      continue;
    }
    QUIRE_ASSIGN_OR_RETURN(TensorView tensor,
                           MakeView(std::move(entry), *type, data));
    tensors_.push_back(std::move(tensor));
  }
  return absl::OkStatus();
}

}  // namespace quire
