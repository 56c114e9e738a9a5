#ifndef QUIRE_COMMON_MODELFILE_MODEL_FILES_H_
#define QUIRE_COMMON_MODELFILE_MODEL_FILES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/modelfile/gguf_file.h"
#include "common/modelfile/model_config.h"
#include "common/modelfile/tensor.h"

namespace quire {

// A model on disk: one GGUF file, or a Hugging Face folder (config.json,
// *.safetensors, tokenizer.json). The scheduler reads its configuration and
// tokenizer, a worker also its weights; both compare fingerprints. Immutable,
// thread-safe.
class ModelFiles {
 public:
  // `path` names a GGUF file or a folder. Errors: NOT_FOUND; INVALID_ARGUMENT
  // with what is wrong and in which file; UNIMPLEMENTED names an architecture
  // (or a RoPE scaling, activation, sliding window in use) that is not
  // supported.
  static absl::StatusOr<std::unique_ptr<ModelFiles>> Open(
      const std::string& path);
  virtual ~ModelFiles() = default;

  virtual const ModelConfig& config() const = 0;
  // The file's own name for the model, or that of the file or folder.
  virtual const std::string& name() const = 0;
  // 16 hexadecimal digits, made of configuration, tensor names, types, shapes
  // and a sample of every tensor's bytes.
  virtual const std::string& fingerprint() const = 0;
  virtual uint64_t num_parameters() const = 0;

  // Tensors go by GGUF's names whatever the container: "token_embd.weight",
  // "blk.3.attn_q.weight", "blk.3.attn_q.bias", "blk.3.attn_k.weight",
  // "blk.3.attn_v.weight", "blk.3.attn_output.weight",
  // "blk.3.attn_norm.weight", "blk.3.ffn_norm.weight", "blk.3.ffn_gate.weight",
  // "blk.3.ffn_up.weight", "blk.3.ffn_down.weight", "output_norm.weight",
  // "output.weight" (absent where tied), "rope_freqs.weight". Presence and
  // shapes of those that the configuration calls for are checked by Open. Null:
  // no such tensor.
  virtual const TensorView* FindTensor(std::string_view name) const = 0;

  // Where the tokenizer is: the GGUF file, or null and a folder.
  virtual const GgufFile* gguf() const = 0;
  virtual const std::string& folder() const = 0;
};

}  // namespace quire

#endif  // QUIRE_COMMON_MODELFILE_MODEL_FILES_H_
