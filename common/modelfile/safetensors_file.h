#ifndef QUIRE_COMMON_MODELFILE_SAFETENSORS_FILE_H_
#define QUIRE_COMMON_MODELFILE_SAFETENSORS_FILE_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/modelfile/mapped_file.h"
#include "common/modelfile/tensor.h"

namespace quire {

// A safetensors container, memory-mapped: eight bytes of length, a JSON header,
// the tensors' bytes without gap or overlap. Immutable, thread-safe; views
// point into the mapping and live as long as the object. Nothing in the file is
// trusted. The format aligns nothing: a tensor of float32 may begin at any
// byte.
class SafetensorsFile {
 public:
  // NOT_FOUND: no such file. INVALID_ARGUMENT says what is wrong and where.
  static absl::StatusOr<std::unique_ptr<SafetensorsFile>> Open(
      const std::string& path);

  // Those of types F32, F16 and BF16, in order of their names.
  const std::vector<TensorView>& tensors() const { return tensors_; }
  // The others: name -> type. They are checked and otherwise left alone, for
  // folders carry tensors that no model reads.
  const std::map<std::string, std::string>& unsupported() const {
    return unsupported_;
  }

 private:
  explicit SafetensorsFile(std::unique_ptr<MappedFile> file)
      : file_(std::move(file)) {}

  absl::Status Parse();

  const std::unique_ptr<MappedFile> file_;
  std::vector<TensorView> tensors_;
  std::map<std::string, std::string> unsupported_;
};

}  // namespace quire

#endif  // QUIRE_COMMON_MODELFILE_SAFETENSORS_FILE_H_
