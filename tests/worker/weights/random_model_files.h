#ifndef QUIRE_TESTS_WORKER_WEIGHTS_RANDOM_MODEL_FILES_H_
#define QUIRE_TESTS_WORKER_WEIGHTS_RANDOM_MODEL_FILES_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/modelfile/model_files.h"

namespace quire {

// A model in memory: all tensors that its configuration calls for, filled with
// random numbers, the same on every run.
class RandomModelFiles : public ModelFiles {
 public:
  // Matrices of the layers are of `matrix_type`, everything else of kF32.
  RandomModelFiles(const ModelConfig& config, TensorType matrix_type);

  // Adds a tensor or replaces it. By shape, outermost first.
  void AddTensor(const std::string& name, const std::vector<int64_t>& shape,
                 TensorType type);
  // The stored bytes of a tensor.
  std::vector<std::byte>& mutable_data(const std::string& name) {
    return tensors_.at(name).data;
  }
  void RemoveTensor(const std::string& name) { tensors_.erase(name); }
  // Element of a tensor, in float32.
  float At(const std::string& name, int64_t index) const;
  ModelConfig& mutable_config() { return config_; }

  const ModelConfig& config() const override { return config_; }
  const std::string& name() const override { return name_; }
  const std::string& fingerprint() const override { return name_; }
  uint64_t num_parameters() const override { return 0; }
  const TensorView* FindTensor(std::string_view name) const override;
  const GgufFile* gguf() const override { return nullptr; }
  const std::string& folder() const override { return name_; }

 private:
  struct Tensor {
    std::vector<std::byte> data;
    TensorView view;
  };

  ModelConfig config_;
  std::string name_ = "random";
  std::map<std::string, Tensor, std::less<>> tensors_;
};

}  // namespace quire

#endif  // QUIRE_TESTS_WORKER_WEIGHTS_RANDOM_MODEL_FILES_H_
