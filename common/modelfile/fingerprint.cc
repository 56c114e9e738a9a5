#include "common/modelfile/fingerprint.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "common/modelfile/tensor_layout.h"
#include "common/strings.h"

namespace quire {
namespace {

// Each run touches one page of the file, sometimes two.
constexpr size_t kRunsPerTensor = 4;
constexpr size_t kRunBytes = 64;

class Fnv1a {
 public:
  void Add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
      state_ ^= static_cast<uint64_t>(byte);
      state_ *= 0x100000001b3;
    }
  }
  void Add(std::string_view text) { Add(std::as_bytes(std::span(text))); }
  uint64_t state() const { return state_; }

 private:
  uint64_t state_ = 0xcbf29ce484222325;
};

std::string Describe(const ModelConfig& c) {
  std::string text = absl::StrCat(
      c.architecture, " ", c.num_layers, " ", c.hidden_size, " ",
      c.intermediate_size, " ", c.num_heads, " ", c.num_kv_heads, " ",
      c.head_dim, " ", c.vocabulary_size, " ", c.context_length);
  absl::StrAppendFormat(&text, " %a %a %d", c.rms_norm_epsilon, c.rope_theta,
                        static_cast<int>(c.rope_pairing));
  if (const auto& scaling = c.llama3_rope_scaling) {
    absl::StrAppendFormat(&text, " %a %a %a %a", scaling->factor,
                          scaling->low_freq_factor, scaling->high_freq_factor,
                          scaling->original_context_length);
  }
  absl::StrAppend(&text, " ", c.has_rope_factors, c.attention_bias,
                  c.tied_embeddings, " ", absl::StrJoin(c.eos_token_ids, ","));
  return text;
}

void AddSample(std::span<const std::byte> data, Fnv1a* hash) {
  if (data.size() <= kRunsPerTensor * kRunBytes) return hash->Add(data);
  // The first run is at the front, the last at the back.
  const size_t stride = (data.size() - kRunBytes) / (kRunsPerTensor - 1);
  for (size_t i = 0; i < kRunsPerTensor; ++i) {
    hash->Add(data.subspan(i * stride, kRunBytes));
  }
}

}  // namespace

std::string ModelFingerprint(const ModelConfig& config,
                             const TensorMap& tensors) {
  Fnv1a hash;
  hash.Add(Describe(config));
  for (const auto& [name, tensor] : tensors) {
    hash.Add(absl::StrCat("\n", name, " ",
                          ToAbsl(GetTensorTypeInfo(tensor.type).name), " ",
                          ShapeText(tensor.shape), "\n"));
    AddSample(tensor.data, &hash);
  }
  return absl::StrFormat("%016x", hash.state());
}

}  // namespace quire
