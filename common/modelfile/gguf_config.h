#ifndef QUIRE_COMMON_MODELFILE_GGUF_CONFIG_H_
#define QUIRE_COMMON_MODELFILE_GGUF_CONFIG_H_

#include "absl/status/statusor.h"
#include "common/modelfile/gguf_file.h"
#include "common/modelfile/model_config.h"

namespace quire {

// The configuration that a GGUF file's metadata describes, validated. What the
// metadata leaves to the tensors is read off those: the vocabulary's size from
// "token_embd.weight", tied embeddings from the absence of "output.weight",
// biases and RoPE factors from the presence of theirs. INVALID_ARGUMENT: a key
// is missing, of a wrong kind, or absurd. UNIMPLEMENTED names what this program
// would compute wrongly: another architecture, experts, a sliding window in
// use, a scaled RoPE, ...
absl::StatusOr<ModelConfig> ReadGgufConfig(const GgufFile& file);

}  // namespace quire

#endif  // QUIRE_COMMON_MODELFILE_GGUF_CONFIG_H_
