#ifndef QUIRE_TESTS_TESTING_GGUF_WRITER_H_
#define QUIRE_TESTS_TESTING_GGUF_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/modelfile/tensor.h"

namespace quire::testing {

// Builds a GGUF file (version 3), well-formed unless a test says otherwise. Not
// thread-safe.
//
//   GgufWriter().Add("general.architecture", "llama").AddTensor("x",
//   TensorType::kF32, {2, 3}, bytes).Finish();
class GgufWriter {
 public:
  // Metadata. T: any integer of fixed width, float, double, bool, std::string
  // or const char*. AddArray: a list of such.
  template <typename T>
  GgufWriter& Add(std::string_view key, const T& value) {
    AddKey(key);
    AppendType(TypeNumber(value));
    AppendValue(&metadata_, value);
    return *this;
  }
  template <typename T>
  GgufWriter& AddArray(std::string_view key, const std::vector<T>& values) {
    AddKey(key);
    AppendType(/*array*/ 9);
    AppendType(TypeNumber(T()));
    AppendCount(values.size());
    for (const T& value : values) AppendValue(&metadata_, value);
    return *this;
  }
  // A value as it stands in the file, from its kind on: for lies, and for
  // arrays of arrays.
  GgufWriter& AddRaw(std::string_view key, std::string_view kind_and_value);

  // `shape` is outermost first; `bytes` are written as they are, however many.
  // `type_number` is GGML's.
  GgufWriter& AddTensor(std::string_view name, TensorType type,
                        const std::vector<int64_t>& shape,
                        std::string_view bytes);
  GgufWriter& AddRawTensor(std::string_view name, uint32_t type_number,
                           const std::vector<int64_t>& shape,
                           std::string_view bytes);

  // Of the tensors' data; written as metadata too. A power of two.
  GgufWriter& SetAlignment(uint32_t alignment);

  std::string Finish() const;

  // Where in the finished file a field lies that says how much follows, or of
  // what kind, or where: what a hostile file lies about.
  struct Field {
    size_t offset;
    size_t num_bytes;
    std::string what;
  };
  std::vector<Field> SizeFields() const;

 private:
  static uint32_t TypeNumber(uint8_t) { return 0; }
  static uint32_t TypeNumber(int8_t) { return 1; }
  static uint32_t TypeNumber(uint16_t) { return 2; }
  static uint32_t TypeNumber(int16_t) { return 3; }
  static uint32_t TypeNumber(uint32_t) { return 4; }
  static uint32_t TypeNumber(int32_t) { return 5; }
  static uint32_t TypeNumber(float) { return 6; }
  static uint32_t TypeNumber(bool) { return 7; }
  static uint32_t TypeNumber(std::string_view) { return 8; }
  static uint32_t TypeNumber(const char*) { return 8; }  // Would be a bool.
  static uint32_t TypeNumber(uint64_t) { return 10; }
  static uint32_t TypeNumber(int64_t) { return 11; }
  static uint32_t TypeNumber(double) { return 12; }

  template <typename T>
  void AppendValue(std::string* out, const T& value) {
    if constexpr (std::is_arithmetic_v<T>) {
      out->append(reinterpret_cast<const char*>(&value), sizeof(value));
    } else {
      AppendString(out, value, "length of a string");
    }
  }

  void AddKey(std::string_view key);
  void AppendType(uint32_t type);
  void AppendCount(uint64_t count);
  void AppendString(std::string* out, std::string_view text, std::string what);
  void Note(const std::string& out, size_t num_bytes, std::string what);

  std::string metadata_;
  std::string tensor_infos_;
  std::string data_;
  uint64_t num_metadata_ = 0;
  uint64_t num_tensors_ = 0;
  uint64_t alignment_ = 32;
  std::vector<Field>
      metadata_fields_;  // Offsets within metadata_ and tensor_infos_.
  std::vector<Field> tensor_fields_;
};

// GGML's number of a type.
uint32_t GgmlTypeNumber(TensorType type);

}  // namespace quire::testing

#endif  // QUIRE_TESTS_TESTING_GGUF_WRITER_H_
