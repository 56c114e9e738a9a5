#ifndef QUIRE_COMMON_MODELFILE_SAFETENSORS_FOLDER_H_
#define QUIRE_COMMON_MODELFILE_SAFETENSORS_FOLDER_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/modelfile/safetensors_file.h"
#include "common/modelfile/tensor.h"

namespace quire {

// All tensors of a Hugging Face folder: those of model.safetensors or, without
// one, of the shards that model.safetensors.index.json lists. Immutable,
// thread-safe; views live as long as the object.
class SafetensorsFolder {
 public:
  // NOT_FOUND: neither file, or a shard is missing. INVALID_ARGUMENT: a bad
  // container, a shard outside the folder, a tensor in two shards, or one that
  // is not in the shard that the index names.
  static absl::StatusOr<std::unique_ptr<SafetensorsFolder>> Open(
      const std::string& folder);

  // Hugging Face's names, each once.
  const std::vector<const TensorView*>& tensors() const { return tensors_; }
  // Tensors of other types than TensorView knows: name -> type.
  const std::map<std::string, std::string>& unsupported() const {
    return unsupported_;
  }

 private:
  SafetensorsFolder() = default;

  absl::Status AddFile(const std::string& path);
  absl::Status AddShards(const std::string& folder);

  std::vector<std::unique_ptr<SafetensorsFile>> files_;
  std::vector<const TensorView*> tensors_;
  std::map<std::string, std::string> unsupported_;
  std::map<std::string, std::string> path_of_tensor_;
};

}  // namespace quire

#endif  // QUIRE_COMMON_MODELFILE_SAFETENSORS_FOLDER_H_
