#include "tests/testing/gguf_writer.h"

#include <cstring>
#include <utility>

#include "common/check.h"

namespace quire::testing {
namespace {

// Magic number, version, number of tensors, number of metadata entries.
constexpr size_t kHeaderBytes = 4 + 4 + 8 + 8;

template <typename T>
void Append(std::string* out, T value) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

void GgufWriter::Note(const std::string& out, size_t num_bytes,
                      std::string what) {
  auto& fields = &out == &metadata_ ? metadata_fields_ : tensor_fields_;
  fields.push_back({out.size(), num_bytes, std::move(what)});
}

void GgufWriter::AppendString(std::string* out, std::string_view text,
                              std::string what) {
  Note(*out, 8, std::move(what));
  Append<uint64_t>(out, text.size());
  out->append(text);
}

void GgufWriter::AddKey(std::string_view key) {
  ++num_metadata_;
  AppendString(&metadata_, key, "length of a key");
}

void GgufWriter::AppendType(uint32_t type) {
  Note(metadata_, 4, "kind of a value");
  Append<uint32_t>(&metadata_, type);
}

void GgufWriter::AppendCount(uint64_t count) {
  Note(metadata_, 8, "length of an array");
  Append<uint64_t>(&metadata_, count);
}

GgufWriter& GgufWriter::AddRaw(std::string_view key,
                               std::string_view kind_and_value) {
  AddKey(key);
  metadata_.append(kind_and_value);
  return *this;
}

GgufWriter& GgufWriter::AddTensor(std::string_view name, TensorType type,
                                  const std::vector<int64_t>& shape,
                                  std::string_view bytes) {
  return AddRawTensor(name, GgmlTypeNumber(type), shape, bytes);
}

GgufWriter& GgufWriter::AddRawTensor(std::string_view name,
                                     uint32_t type_number,
                                     const std::vector<int64_t>& shape,
                                     std::string_view bytes) {
  ++num_tensors_;
  AppendString(&tensor_infos_, name, "length of a tensor's name");
  Note(tensor_infos_, 4, "number of dimensions");
  Append<uint32_t>(&tensor_infos_, static_cast<uint32_t>(shape.size()));
  for (auto dimension = shape.rbegin(); dimension != shape.rend();
       ++dimension) {
    Note(tensor_infos_, 8, "dimension");
    Append<int64_t>(&tensor_infos_, *dimension);
  }
  Note(tensor_infos_, 4, "type of a tensor");
  Append<uint32_t>(&tensor_infos_, type_number);
  Note(tensor_infos_, 8, "offset of a tensor");
  Append<uint64_t>(&tensor_infos_, data_.size());
  data_.append(bytes);
  data_.resize((data_.size() + alignment_ - 1) / alignment_ * alignment_);
  return *this;
}

GgufWriter& GgufWriter::SetAlignment(uint32_t alignment) {
  QUIRE_CHECK(data_.empty());
  alignment_ = alignment;
  return Add("general.alignment", alignment);
}

std::string GgufWriter::Finish() const {
  std::string file = "GGUF";
  Append<uint32_t>(&file, 3);
  Append<uint64_t>(&file, num_tensors_);
  Append<uint64_t>(&file, num_metadata_);
  file += metadata_ + tensor_infos_;
  file.resize((file.size() + alignment_ - 1) / alignment_ * alignment_);
  return file + data_;
}

std::vector<GgufWriter::Field> GgufWriter::SizeFields() const {
  std::vector<Field> fields = {{4, 4, "version"},
                               {8, 8, "number of tensors"},
                               {16, 8, "number of metadata entries"}};
  for (const Field& field : metadata_fields_) {
    fields.push_back(
        {kHeaderBytes + field.offset, field.num_bytes, field.what});
  }
  for (const Field& field : tensor_fields_) {
    fields.push_back({kHeaderBytes + metadata_.size() + field.offset,
                      field.num_bytes, field.what});
  }
  return fields;
}

uint32_t GgmlTypeNumber(TensorType type) {
  switch (type) {
    case TensorType::kF32:
      return 0;
    case TensorType::kF16:
      return 1;
    case TensorType::kQ4_0:
      return 2;
    case TensorType::kQ4_1:
      return 3;
    case TensorType::kQ5_0:
      return 6;
    case TensorType::kQ5_1:
      return 7;
    case TensorType::kQ8_0:
      return 8;
    case TensorType::kQ2_K:
      return 10;
    case TensorType::kQ3_K:
      return 11;
    case TensorType::kQ4_K:
      return 12;
    case TensorType::kQ5_K:
      return 13;
    case TensorType::kQ6_K:
      return 14;
    case TensorType::kBF16:
      return 30;
  }
  QUIRE_CHECK(false && "a value outside TensorType");
  return 0;
}

}  // namespace quire::testing
