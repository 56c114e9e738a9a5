#include "common/modelfile/tensor_names.h"

#include <gtest/gtest.h>

namespace quire {
namespace {

TEST(GgufTensorName, EveryTensorOfTheModelsHasOne) {
  EXPECT_EQ(GgufTensorName("model.embed_tokens.weight"), "token_embd.weight");
  EXPECT_EQ(GgufTensorName("model.norm.weight"), "output_norm.weight");
  EXPECT_EQ(GgufTensorName("lm_head.weight"), "output.weight");
  EXPECT_EQ(GgufTensorName("model.layers.0.input_layernorm.weight"),
            "blk.0.attn_norm.weight");
  EXPECT_EQ(GgufTensorName("model.layers.1.post_attention_layernorm.weight"),
            "blk.1.ffn_norm.weight");
  EXPECT_EQ(GgufTensorName("model.layers.12.self_attn.q_proj.weight"),
            "blk.12.attn_q.weight");
  EXPECT_EQ(GgufTensorName("model.layers.3.self_attn.k_proj.weight"),
            "blk.3.attn_k.weight");
  EXPECT_EQ(GgufTensorName("model.layers.3.self_attn.v_proj.weight"),
            "blk.3.attn_v.weight");
  EXPECT_EQ(GgufTensorName("model.layers.3.self_attn.q_proj.bias"),
            "blk.3.attn_q.bias");
  EXPECT_EQ(GgufTensorName("model.layers.3.self_attn.k_proj.bias"),
            "blk.3.attn_k.bias");
  EXPECT_EQ(GgufTensorName("model.layers.3.self_attn.v_proj.bias"),
            "blk.3.attn_v.bias");
  EXPECT_EQ(GgufTensorName("model.layers.3.self_attn.o_proj.weight"),
            "blk.3.attn_output.weight");
  EXPECT_EQ(GgufTensorName("model.layers.3.mlp.gate_proj.weight"),
            "blk.3.ffn_gate.weight");
  EXPECT_EQ(GgufTensorName("model.layers.3.mlp.up_proj.weight"),
            "blk.3.ffn_up.weight");
  EXPECT_EQ(GgufTensorName("model.layers.3.mlp.down_proj.weight"),
            "blk.3.ffn_down.weight");
}

TEST(GgufTensorName, OtherNamesHaveNone) {
  for (const char* name :
       {"", "output.weight", "blk.0.attn_q.weight",
        "model.layers.0.self_attn.qkv_proj.weight", "model.layers.",
        "model.layers.0", "model.layers.0.",
        "model.layers.0.self_attn.o_proj.bias", "model.norm.bias"}) {
    EXPECT_EQ(GgufTensorName(name), std::nullopt) << name;
  }
}

TEST(GgufTensorName, LayerHasOneSpellingOnly) {
  for (const char* layer : {"", "00", "01", "-1", "+1", "1 ", "x", "1x"}) {
    EXPECT_EQ(GgufTensorName(std::string("model.layers.") + layer +
                             ".mlp.up_proj.weight"),
              std::nullopt)
        << layer;
  }
}

}  // namespace
}  // namespace quire
