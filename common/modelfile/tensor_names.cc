#include "common/modelfile/tensor_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/strings.h"

namespace quire {
namespace {

using Names = std::pair<std::string_view, std::string_view>;

constexpr auto kGlobal = std::to_array<Names>({
    {"lm_head.weight", "output.weight"},
    {"model.embed_tokens.weight", "token_embd.weight"},
    {"model.norm.weight", "output_norm.weight"},
});

constexpr auto kInLayer = std::to_array<Names>({
    {"input_layernorm.weight", "attn_norm.weight"},
    {"mlp.down_proj.weight", "ffn_down.weight"},
    {"mlp.gate_proj.weight", "ffn_gate.weight"},
    {"mlp.up_proj.weight", "ffn_up.weight"},
    {"post_attention_layernorm.weight", "ffn_norm.weight"},
    {"self_attn.k_proj.bias", "attn_k.bias"},
    {"self_attn.k_proj.weight", "attn_k.weight"},
    {"self_attn.o_proj.weight", "attn_output.weight"},
    {"self_attn.q_proj.bias", "attn_q.bias"},
    {"self_attn.q_proj.weight", "attn_q.weight"},
    {"self_attn.v_proj.bias", "attn_v.bias"},
    {"self_attn.v_proj.weight", "attn_v.weight"},
});

constexpr std::string_view kLayerPrefix = "model.layers.";

template <typename Table>
std::optional<std::string_view> LookUp(const Table& table,
                                       std::string_view name) {
  const auto entry =
      std::find_if(table.begin(), table.end(),
                   [name](const Names& names) { return names.first == name; });
  return entry == table.end() ? std::nullopt : std::optional(entry->second);
}

bool IsLayerNumber(std::string_view text) {
  const bool is_decimal =
      !text.empty() && std::all_of(text.begin(), text.end(),
                                   [](char c) { return c >= '0' && c <= '9'; });
  // "007" would be a second name of layer 7.
  return is_decimal && (text.size() == 1 || text.front() != '0');
}

}  // namespace

std::optional<std::string> GgufTensorName(std::string_view name) {
  if (const auto global = LookUp(kGlobal, name)) return std::string(*global);
  if (!name.starts_with(kLayerPrefix)) return std::nullopt;
  name.remove_prefix(kLayerPrefix.size());
  const size_t dot = name.find('.');
  if (dot == std::string_view::npos || !IsLayerNumber(name.substr(0, dot))) {
    return std::nullopt;
  }
  const auto in_layer = LookUp(kInLayer, name.substr(dot + 1));
  if (!in_layer.has_value()) return std::nullopt;
  return absl::StrCat("blk.", ToAbsl(name.substr(0, dot)), ".",
                      ToAbsl(*in_layer));
}

}  // namespace quire
