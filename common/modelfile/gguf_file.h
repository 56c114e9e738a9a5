#ifndef QUIRE_COMMON_MODELFILE_GGUF_FILE_H_
#define QUIRE_COMMON_MODELFILE_GGUF_FILE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "common/modelfile/tensor.h"

namespace quire {

// A GGUF container (version 2 or 3, little endian), memory-mapped: metadata and
// tensors. Immutable, thread-safe; views point into the mapping and live as
// long as the object. Nothing in the file is trusted: every count, offset,
// shape and length is checked against the file's size before it is used, and
// nothing is allocated by a count that the file's remaining bytes could not
// hold.
class GgufFile {
 public:
  // INVALID_ARGUMENT says what is wrong and where, NOT_FOUND that there is no
  // such file. Tensors of a type that TensorType lacks (the IQ kinds) are
  // refused by name.
  static absl::StatusOr<std::unique_ptr<GgufFile>> Open(
      const std::string& path);
  ~GgufFile();

  // As it was given to Open.
  const std::string& path() const;

  // Whether there is such a key, of whatever kind.
  bool HasKey(std::string_view key) const;
  // Metadata. nullopt: no such key, or it is of another kind. GetUint takes any
  // integer type whose value is not negative; GetFloat takes any number.
  std::optional<std::string_view> GetString(std::string_view key) const;
  std::optional<uint64_t> GetUint(std::string_view key) const;
  std::optional<double> GetFloat(std::string_view key) const;
  std::optional<bool> GetBool(std::string_view key) const;
  std::optional<std::vector<std::string_view>> GetStrings(
      std::string_view key) const;
  std::optional<std::vector<double>> GetFloats(std::string_view key) const;
  std::optional<std::vector<int64_t>> GetInts(std::string_view key) const;

  const std::vector<TensorView>& tensors() const;
  // Null: no such tensor.
  const TensorView* FindTensor(std::string_view name) const;

 private:
  struct Contents;
  explicit GgufFile(std::unique_ptr<Contents> contents);
  std::unique_ptr<Contents> contents_;
};

}  // namespace quire

#endif  // QUIRE_COMMON_MODELFILE_GGUF_FILE_H_
