#ifndef QUIRE_COMMON_MODELFILE_MODEL_CONFIG_H_
#define QUIRE_COMMON_MODELFILE_MODEL_CONFIG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/ids.h"

namespace quire {

// Llama 3's scaling of RoPE frequencies for long contexts (config.json's
// rope_type "llama3").
struct Llama3RopeScaling {
  double factor = 8;
  double low_freq_factor = 1;
  double high_freq_factor = 4;
  double original_context_length = 8192;
};

// Which halves of a head RoPE turns together. GGUF files of architecture llama
// have the rows of Q and K permuted so that neighbours pair up; all others pair
// element i with i + head_dim / 2.
enum class RopePairing { kHalves, kNeighbours };

// The shape of one decoder-only transformer: everything but the weights. Plain
// data, validated.
struct ModelConfig {
  std::string
      architecture;  // "llama" (also Mistral, SmolLM, TinyLlama) or "qwen2".
  int64_t num_layers = 0;
  int64_t hidden_size = 0;
  int64_t intermediate_size = 0;
  int64_t num_heads = 0;
  int64_t num_kv_heads = 0;
  int64_t head_dim = 0;
  int64_t vocabulary_size = 0;
  int64_t context_length = 0;  // Tokens.
  double rms_norm_epsilon = 1e-5;
  double rope_theta = 10000;
  RopePairing rope_pairing = RopePairing::kHalves;
  std::optional<Llama3RopeScaling> llama3_rope_scaling;  // Folders: by formula.
  bool has_rope_factors = false;  // GGUF: frequencies are divided by the tensor
                                  // "rope_freqs.weight" [head_dim / 2].
  bool attention_bias = false;    // Q, K and V have biases (qwen2).
  bool tied_embeddings = false;   // The output matrix is the embedding.
  std::vector<Token> eos_token_ids;

  // INVALID_ARGUMENT names the field, its value and the limit: positive sizes,
  // num_heads a multiple of num_kv_heads, even head_dim, sizes below 2^31, ...
  absl::Status Validate() const;
};

}  // namespace quire

#endif  // QUIRE_COMMON_MODELFILE_MODEL_CONFIG_H_
