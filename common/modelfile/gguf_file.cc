#include "common/modelfile/gguf_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/modelfile/byte_reader.h"
#include "common/modelfile/error_text.h"
#include "common/modelfile/gguf_value.h"
#include "common/modelfile/mapped_file.h"
#include "common/modelfile/tensor_layout.h"
#include "common/status_macros.h"
#include "common/strings.h"

namespace quire {
namespace {

// Limits of the format, and of what a sane file needs.
constexpr uint64_t kMaxKeyBytes = 65535;
constexpr uint64_t kMaxTensorNameBytes = 256;
constexpr uint32_t kMaxDimensions = 4;
constexpr uint64_t kDefaultAlignment = 32;
constexpr uint64_t kMaxAlignment = uint64_t{1} << 20;
// The least a metadata entry takes (length of an empty key, kind, one byte),
// and the least a tensor's entry does (length of a name, number of dimensions,
// one of them, type, offset): what a count may claim.
constexpr uint64_t kMinMetadataBytes = 8 + 4 + 1;
constexpr uint64_t kMinTensorBytes = 8 + 4 + 8 + 4 + 8;

struct GgmlType {
  uint32_t number;
  std::string_view name;
  std::optional<TensorType> type;  // nullopt: known, not supported.
};

constexpr auto kGgmlTypes = std::to_array<GgmlType>({
    {0, "F32", TensorType::kF32},    {1, "F16", TensorType::kF16},
    {2, "Q4_0", TensorType::kQ4_0},  {3, "Q4_1", TensorType::kQ4_1},
    {6, "Q5_0", TensorType::kQ5_0},  {7, "Q5_1", TensorType::kQ5_1},
    {8, "Q8_0", TensorType::kQ8_0},  {9, "Q8_1", std::nullopt},
    {10, "Q2_K", TensorType::kQ2_K}, {11, "Q3_K", TensorType::kQ3_K},
    {12, "Q4_K", TensorType::kQ4_K}, {13, "Q5_K", TensorType::kQ5_K},
    {14, "Q6_K", TensorType::kQ6_K}, {15, "Q8_K", std::nullopt},
    {16, "IQ2_XXS", std::nullopt},   {17, "IQ2_XS", std::nullopt},
    {18, "IQ3_XXS", std::nullopt},   {19, "IQ1_S", std::nullopt},
    {20, "IQ4_NL", std::nullopt},    {21, "IQ3_S", std::nullopt},
    {22, "IQ2_S", std::nullopt},     {23, "IQ4_XS", std::nullopt},
    {24, "I8", std::nullopt},        {25, "I16", std::nullopt},
    {26, "I32", std::nullopt},       {27, "I64", std::nullopt},
    {28, "F64", std::nullopt},       {29, "IQ1_M", std::nullopt},
    {30, "BF16", TensorType::kBF16}, {34, "TQ1_0", std::nullopt},
    {35, "TQ2_0", std::nullopt},     {39, "MXFP4", std::nullopt},
});

absl::StatusOr<TensorType> TensorTypeFromNumber(uint32_t number) {
  const auto known =
      std::find_if(kGgmlTypes.begin(), kGgmlTypes.end(),
                   [number](const GgmlType& t) { return t.number == number; });
  if (known == kGgmlTypes.end()) {
    return absl::InvalidArgumentError(absl::StrCat("unknown type ", number));
  }
  if (!known->type.has_value()) {
    return absl::UnimplementedError(
        absl::StrCat("type ", ToAbsl(known->name), " is not supported"));
  }
  return *known->type;
}

// What stands in front of the metadata.
struct Header {
  uint64_t num_tensors;
  uint64_t num_metadata;
};

absl::Status CheckCount(uint64_t count, std::string_view what,
                        uint64_t least_bytes, const ByteReader& reader) {
  if (count <= reader.remaining() / least_bytes) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "the header claims ", count, " ", ToAbsl(what),
      ", but the file has only ", reader.remaining(), " bytes after it"));
}

absl::StatusOr<Header> ReadHeader(ByteReader& reader) {
  QUIRE_ASSIGN_OR_RETURN(const auto magic, reader.Take(4, "the magic number"));
  if (std::string_view(reinterpret_cast<const char*>(magic.data()),
                       magic.size()) != "GGUF") {
    return absl::InvalidArgumentError(
        "not a GGUF file: it does not begin with 'GGUF'");
  }
  QUIRE_ASSIGN_OR_RETURN(const uint32_t version,
                         reader.Read<uint32_t>("the version"));
  if (version != 2 && version != 3) {
    return absl::UnimplementedError(
        absl::StrCat("GGUF version ", version,
                     (version & 0xffff) == 0 ? " (big endian)" : "",
                     " is not supported, only 2 and 3 are"));
  }
  Header header;
  QUIRE_ASSIGN_OR_RETURN(header.num_tensors,
                         reader.Read<uint64_t>("the number of tensors"));
  QUIRE_ASSIGN_OR_RETURN(
      header.num_metadata,
      reader.Read<uint64_t>("the number of metadata entries"));
  QUIRE_RETURN_IF_ERROR(
      CheckCount(header.num_tensors, "tensors", kMinTensorBytes, reader));
  QUIRE_RETURN_IF_ERROR(CheckCount(header.num_metadata, "metadata entries",
                                   kMinMetadataBytes, reader));
  return header;
}

// A tensor's entry: everything but its bytes, whose place is known when all
// entries are read.
struct TensorEntry {
  TensorView tensor;
  uint64_t offset = 0;  // From the start of the data.
  uint64_t size = 0;
};

absl::StatusOr<std::vector<int64_t>> ReadShape(ByteReader& reader) {
  QUIRE_ASSIGN_OR_RETURN(const uint32_t num_dimensions,
                         reader.Read<uint32_t>("its number of dimensions"));
  if (num_dimensions < 1 || num_dimensions > kMaxDimensions) {
    return absl::InvalidArgumentError(absl::StrCat(
        num_dimensions, " dimensions, expected 1 to ", kMaxDimensions));
  }
  std::vector<int64_t> shape(num_dimensions);
  for (auto dimension = shape.rbegin(); dimension != shape.rend();
       ++dimension) {  // The file has the innermost first.
    QUIRE_ASSIGN_OR_RETURN(const uint64_t value,
                           reader.Read<uint64_t>("its shape"));
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return absl::InvalidArgumentError(absl::StrCat("a dimension of ", value));
    }
    *dimension = static_cast<int64_t>(value);
  }
  return shape;
}

absl::StatusOr<TensorEntry> ReadLayout(ByteReader& reader) {
  TensorEntry entry;
  QUIRE_ASSIGN_OR_RETURN(entry.tensor.shape, ReadShape(reader));
  QUIRE_ASSIGN_OR_RETURN(const uint32_t type,
                         reader.Read<uint32_t>("its type"));
  QUIRE_ASSIGN_OR_RETURN(entry.offset, reader.Read<uint64_t>("its offset"));
  QUIRE_ASSIGN_OR_RETURN(entry.tensor.type, TensorTypeFromNumber(type));
  QUIRE_ASSIGN_OR_RETURN(entry.size,
                         TensorByteSize(entry.tensor.type, entry.tensor.shape));
  return entry;
}

absl::Status InTensor(std::string_view name, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("tensor ", Quoted(name), ": ",
                                                  status.message()));
}

absl::StatusOr<TensorEntry> ReadTensorEntry(ByteReader& reader) {
  QUIRE_ASSIGN_OR_RETURN(const std::string_view name,
                         reader.ReadString("a tensor's name"));
  if (name.empty() || name.size() > kMaxTensorNameBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor ", Quoted(name), ": a name of ", name.size(),
                     " bytes, expected 1 to ", kMaxTensorNameBytes));
  }
  absl::StatusOr<TensorEntry> entry = ReadLayout(reader);
  if (!entry.ok()) return InTensor(name, entry.status());
  entry->tensor.name = name;
  return entry;
}

// Finds the tensor's bytes in `data`.
absl::StatusOr<TensorView> Locate(TensorEntry entry,
                                  std::span<const std::byte> data,
                                  uint64_t alignment) {
  if (entry.offset % alignment != 0) {
    return InTensor(entry.tensor.name,
                    absl::InvalidArgumentError(absl::StrCat(
                        "offset ", entry.offset,
                        " is no multiple of the alignment ", alignment)));
  }
  if (entry.offset > data.size() || entry.size > data.size() - entry.offset) {
    return InTensor(
        entry.tensor.name,
        absl::InvalidArgumentError(absl::StrCat(
            entry.size, " bytes at offset ", entry.offset,
            " reach past the file's ", data.size(), " bytes of data")));
  }
  entry.tensor.data = data.subspan(entry.offset, entry.size);
  return std::move(entry.tensor);
}

}  // namespace

struct GgufFile::Contents {
  std::string path;
  std::unique_ptr<MappedFile> file;
  absl::flat_hash_map<std::string, GgufValue> metadata;
  std::vector<TensorView> tensors;
  absl::flat_hash_map<std::string, size_t> tensor_index;

  const GgufValue* Find(std::string_view key) const {
    const auto entry = metadata.find(ToAbsl(key));
    return entry == metadata.end() ? nullptr : &entry->second;
  }

  absl::Status Parse();

 private:
  absl::Status ReadMetadata(uint64_t count, ByteReader& reader);
  absl::StatusOr<uint64_t> Alignment() const;
  absl::Status ReadTensors(uint64_t count, ByteReader& reader);
};

absl::Status GgufFile::Contents::Parse() {
  ByteReader reader(file->bytes());
  QUIRE_ASSIGN_OR_RETURN(const Header header, ReadHeader(reader));
  QUIRE_RETURN_IF_ERROR(ReadMetadata(header.num_metadata, reader));
  return ReadTensors(header.num_tensors, reader);
}

absl::Status GgufFile::Contents::ReadMetadata(uint64_t count,
                                              ByteReader& reader) {
  for (uint64_t i = 0; i < count; ++i) {
    QUIRE_ASSIGN_OR_RETURN(const std::string_view key,
                           reader.ReadString("a metadata key"));
    if (key.size() > kMaxKeyBytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("metadata key ", Quoted(key), " has ", key.size(),
                       " bytes, the limit is ", kMaxKeyBytes));
    }
    QUIRE_ASSIGN_OR_RETURN(const GgufValue value, GgufValue::Read(key, reader));
    if (!metadata.try_emplace(std::string(key), value).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("metadata key ", Quoted(key), " occurs twice"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<uint64_t> GgufFile::Contents::Alignment() const {
  const GgufValue* value = Find("general.alignment");
  if (value == nullptr) return kDefaultAlignment;
  const uint64_t alignment = value->AsUint().value_or(0);
  if (!std::has_single_bit(alignment) || alignment < 8 ||
      alignment > kMaxAlignment) {
    return absl::InvalidArgumentError(
        absl::StrCat("general.alignment is ", alignment,
                     ", expected a power of two from 8 to ", kMaxAlignment));
  }
  return alignment;
}

absl::Status GgufFile::Contents::ReadTensors(uint64_t count,
                                             ByteReader& reader) {
  std::vector<TensorEntry> entries;
  for (uint64_t i = 0; i < count; ++i) {
    QUIRE_ASSIGN_OR_RETURN(TensorEntry entry, ReadTensorEntry(reader));
    if (!tensor_index.try_emplace(entry.tensor.name, i).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("tensor ", Quoted(entry.tensor.name), " occurs twice"));
    }
    entries.push_back(std::move(entry));
  }
  QUIRE_ASSIGN_OR_RETURN(const uint64_t alignment, Alignment());
  const uint64_t start =
      (reader.offset() + alignment - 1) / alignment * alignment;
  const auto bytes = file->bytes();
  const auto data = bytes.subspan(std::min<uint64_t>(start, bytes.size()));
  for (TensorEntry& entry : entries) {
    QUIRE_ASSIGN_OR_RETURN(TensorView tensor,
                           Locate(std::move(entry), data, alignment));
    tensors.push_back(std::move(tensor));
  }
  return CheckNoOverlap(tensors);
}

GgufFile::GgufFile(std::unique_ptr<Contents> contents)
    : contents_(std::move(contents)) {}

GgufFile::~GgufFile() = default;

const std::string& GgufFile::path() const { return contents_->path; }

absl::StatusOr<std::unique_ptr<GgufFile>> GgufFile::Open(
    const std::string& path) {
  auto contents = std::make_unique<Contents>();
  QUIRE_ASSIGN_OR_RETURN(contents->file, MappedFile::Open(path));
  contents->path = path;
  QUIRE_RETURN_IF_ERROR(InFile(path, contents->Parse()));
  return std::unique_ptr<GgufFile>(new GgufFile(std::move(contents)));
}

bool GgufFile::HasKey(std::string_view key) const {
  return contents_->Find(key) != nullptr;
}

std::optional<std::string_view> GgufFile::GetString(
    std::string_view key) const {
  const GgufValue* value = contents_->Find(key);
  return value == nullptr ? std::nullopt : value->AsString();
}

std::optional<uint64_t> GgufFile::GetUint(std::string_view key) const {
  const GgufValue* value = contents_->Find(key);
  return value == nullptr ? std::nullopt : value->AsUint();
}

std::optional<double> GgufFile::GetFloat(std::string_view key) const {
  const GgufValue* value = contents_->Find(key);
  return value == nullptr ? std::nullopt : value->AsFloat();
}

std::optional<bool> GgufFile::GetBool(std::string_view key) const {
  const GgufValue* value = contents_->Find(key);
  return value == nullptr ? std::nullopt : value->AsBool();
}

std::optional<std::vector<std::string_view>> GgufFile::GetStrings(
    std::string_view key) const {
  const GgufValue* value = contents_->Find(key);
  return value == nullptr ? std::nullopt : value->AsStrings();
}

std::optional<std::vector<double>> GgufFile::GetFloats(
    std::string_view key) const {
  const GgufValue* value = contents_->Find(key);
  return value == nullptr ? std::nullopt : value->AsFloats();
}

std::optional<std::vector<int64_t>> GgufFile::GetInts(
    std::string_view key) const {
  const GgufValue* value = contents_->Find(key);
  return value == nullptr ? std::nullopt : value->AsInts();
}

const std::vector<TensorView>& GgufFile::tensors() const {
  return contents_->tensors;
}

const TensorView* GgufFile::FindTensor(std::string_view name) const {
  const auto entry = contents_->tensor_index.find(ToAbsl(name));
  return entry == contents_->tensor_index.end()
             ? nullptr
             : &contents_->tensors[entry->second];
}

}  // namespace quire
