#include "common/modelfile/tensor_check.h"

#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/modelfile/error_text.h"
#include "common/modelfile/tensor_layout.h"
#include "common/status_macros.h"
#include "common/strings.h"

namespace quire {
namespace {

struct Expected {
  std::string name;
  std::vector<int64_t> shape;
};

// The tensors that belong to no layer.
std::vector<Expected> GlobalTensors(const ModelConfig& c) {
  std::vector<Expected> tensors = {
      {"token_embd.weight", {c.vocabulary_size, c.hidden_size}},
      {"output_norm.weight", {c.hidden_size}},
  };
  if (!c.tied_embeddings) {
    tensors.push_back({"output.weight", {c.vocabulary_size, c.hidden_size}});
  }
  if (c.has_rope_factors) {
    tensors.push_back({"rope_freqs.weight", {c.head_dim / 2}});
  }
  return tensors;
}

std::vector<Expected> LayerTensors(const ModelConfig& c, int64_t layer) {
  const int64_t q_size = c.num_heads * c.head_dim;
  const int64_t kv_size = c.num_kv_heads * c.head_dim;
  std::vector<Expected> tensors = {
      {"attn_norm.weight", {c.hidden_size}},
      {"attn_q.weight", {q_size, c.hidden_size}},
      {"attn_k.weight", {kv_size, c.hidden_size}},
      {"attn_v.weight", {kv_size, c.hidden_size}},
      {"attn_output.weight", {c.hidden_size, q_size}},
      {"ffn_norm.weight", {c.hidden_size}},
      {"ffn_gate.weight", {c.intermediate_size, c.hidden_size}},
      {"ffn_up.weight", {c.intermediate_size, c.hidden_size}},
      {"ffn_down.weight", {c.hidden_size, c.intermediate_size}},
  };
  if (c.attention_bias) {
    tensors.push_back({"attn_q.bias", {q_size}});
    tensors.push_back({"attn_k.bias", {kv_size}});
    tensors.push_back({"attn_v.bias", {kv_size}});
  }
  for (Expected& tensor : tensors) {
    tensor.name = absl::StrCat("blk.", layer, ".", tensor.name);
  }
  return tensors;
}

// Whether a tensor holds several matrices that the model has apart: Q, K and V,
// or gate and up.
bool IsFused(std::string_view name) {
  for (const char* part : {"qkv", "gate_up"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

class Checker {
 public:
  explicit Checker(const TensorMap& tensors) : tensors_(tensors) {
    for (const auto& [name, tensor] : tensors) unexpected_.insert(name);
  }

  absl::Status Check(const std::vector<Expected>& all) {
    for (const Expected& expected : all) {
      QUIRE_RETURN_IF_ERROR(CheckOne(expected));
    }
    return absl::OkStatus();
  }

  // A fused tensor is refused by its name, before its parts are missed.
  absl::Status CheckNoneIsFused() const {
    for (const std::string_view name : unexpected_) {
      if (IsFused(name)) return UnexpectedTensor(name);
    }
    return absl::OkStatus();
  }

  absl::Status CheckNoOthers() const {
    return unexpected_.empty() ? absl::OkStatus()
                               : UnexpectedTensor(*unexpected_.begin());
  }

 private:
  absl::Status CheckOne(const Expected& expected) {
    const auto entry = tensors_.find(expected.name);
    if (entry == tensors_.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("tensor ", Quoted(expected.name), " is missing"));
    }
    unexpected_.erase(expected.name);
    const TensorView& tensor = entry->second;
    if (tensor.shape != expected.shape) {
      return absl::InvalidArgumentError(absl::StrCat(
          "tensor ", Quoted(expected.name), " has shape ",
          ShapeText(tensor.shape), ", the configuration calls for ",
          ShapeText(expected.shape)));
    }
    const TensorTypeInfo& type = GetTensorTypeInfo(tensor.type);
    if (tensor.shape.size() == 1 && type.elements > 1) {
      return absl::InvalidArgumentError(absl::StrCat(
          "tensor ", Quoted(expected.name), " is of type ", ToAbsl(type.name),
          ", a vector must be F32, F16 or BF16"));
    }
    return absl::OkStatus();
  }

  const TensorMap& tensors_;
  std::set<std::string_view> unexpected_;
};

}  // namespace

absl::Status UnexpectedTensor(std::string_view name) {
  return absl::UnimplementedError(absl::StrCat(
      "tensor ", Quoted(name), " is not supported: ",
      IsFused(name) ? "it fuses several matrices of the model"
                    : "the model's architecture does not have it"));
}

absl::Status CheckTensors(const ModelConfig& config, const TensorMap& tensors) {
  Checker checker(tensors);
  QUIRE_RETURN_IF_ERROR(checker.CheckNoneIsFused());
  QUIRE_RETURN_IF_ERROR(checker.Check(GlobalTensors(config)));
  for (int64_t layer = 0; layer < config.num_layers; ++layer) {
    QUIRE_RETURN_IF_ERROR(checker.Check(LayerTensors(config, layer)));
  }
  return checker.CheckNoOthers();
}

}  // namespace quire
