// Writes the seeds of this folder's fuzzers: corpus_writer FOLDER fills
// FOLDER/gguf, FOLDER/safetensors, FOLDER/folder_config.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "common/modelfile/tensor.h"
#include "tests/testing/gguf_writer.h"

namespace quire {
namespace {

using testing::GgufWriter;

constexpr TensorType kAllTypes[] = {
    TensorType::kF32,  TensorType::kF16,  TensorType::kBF16, TensorType::kQ4_0,
    TensorType::kQ4_1, TensorType::kQ5_0, TensorType::kQ5_1, TensorType::kQ8_0,
    TensorType::kQ2_K, TensorType::kQ3_K, TensorType::kQ4_K, TensorType::kQ5_K,
    TensorType::kQ6_K};

void AddZeros(const std::string& name, TensorType type,
              const std::vector<int64_t>& shape, GgufWriter* writer) {
  const TensorTypeInfo& info = GetTensorTypeInfo(type);
  int64_t num_elements = 1;
  for (const int64_t dimension : shape) num_elements *= dimension;
  writer->AddTensor(
      name, type, shape,
      std::string(num_elements / info.elements * info.bytes, '\0'));
}

// A tensor of one row of one group.
std::string OneTensor(TensorType type) {
  GgufWriter writer;
  AddZeros("t", type, {1, GetTensorTypeInfo(type).elements}, &writer);
  return writer.Finish();
}

std::string EveryKindOfMetadata() {
  GgufWriter writer;
  writer.SetAlignment(64)
      .Add("u8", uint8_t{1})
      .Add("i8", int8_t{-1})
      .Add("u16", uint16_t{1})
      .Add("i16", int16_t{-1});
  writer.Add("u32", uint32_t{1})
      .Add("i32", int32_t{-1})
      .Add("u64", uint64_t{1})
      .Add("i64", int64_t{-1});
  writer.Add("f32", 1.5f).Add("f64", 1.5).Add("b", true).Add("k", "text");
  writer.AddArray("tokenizer.ggml.tokens",
                  std::vector<std::string>{"a", "", "bc"});
  writer.AddArray("tokenizer.ggml.scores", std::vector<float>{0, 1});
  writer.AddArray("tokenizer.ggml.token_type", std::vector<int32_t>{1, 3});
  // Two arrays of one byte each.
  const std::string inner("\0\0\0\0\1\0\0\0\0\0\0\0x", 13);
  writer.AddRaw(
      "nested",
      std::string("\x09\0\0\0\x09\0\0\0\2\0\0\0\0\0\0\0", 16) + inner + inner);
  return writer.Finish();
}

// A whole model of one layer, as small as 32-wide groups allow.
std::string Model(const std::string& architecture) {
  GgufWriter writer;
  writer.Add("general.architecture", architecture).Add("general.name", "tiny");
  const auto add = [&](const std::string& name, uint32_t value) {
    writer.Add(architecture + "." + name, value);
  };
  add("block_count", 1);
  add("context_length", 64);
  add("embedding_length", 32);
  add("feed_forward_length", 32);
  add("attention.head_count", 2);
  add("attention.head_count_kv", 1);
  writer.Add(architecture + ".attention.layer_norm_rms_epsilon", 1e-5f)
      .Add(architecture + ".rope.freq_base", 10000.0f);
  writer.Add("tokenizer.ggml.eos_token_id", uint32_t{2})
      .Add("tokenizer.ggml.add_bos_token", false);
  AddZeros("token_embd.weight", TensorType::kQ4_0, {4, 32}, &writer);
  AddZeros("output_norm.weight", TensorType::kF32, {32}, &writer);
  for (const char* norm : {"attn_norm", "ffn_norm"}) {
    AddZeros("blk.0." + std::string(norm) + ".weight", TensorType::kF32, {32},
             &writer);
  }
  for (const char* matrix :
       {"attn_q", "attn_output", "ffn_gate", "ffn_up", "ffn_down"}) {
    AddZeros("blk.0." + std::string(matrix) + ".weight", TensorType::kQ4_0,
             {32, 32}, &writer);
  }
  for (const char* matrix : {"attn_k", "attn_v"}) {
    AddZeros("blk.0." + std::string(matrix) + ".weight", TensorType::kQ4_0,
             {16, 32}, &writer);
  }
  if (architecture == "qwen2") {
    AddZeros("blk.0.attn_q.bias", TensorType::kF16, {32}, &writer);
    for (const char* bias : {"attn_k", "attn_v"}) {
      AddZeros("blk.0." + std::string(bias) + ".bias", TensorType::kF16, {16},
               &writer);
    }
  } else {
    AddZeros("rope_freqs.weight", TensorType::kF32, {8}, &writer);
  }
  return writer.Finish();
}

void Write(const std::filesystem::path& path, const std::string& contents) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << contents;
}

void WriteGguf(const std::filesystem::path& folder) {
  for (const TensorType type : kAllTypes) {
    Write(folder / std::string(GetTensorTypeInfo(type).name), OneTensor(type));
  }
  Write(folder / "metadata", EveryKindOfMetadata());
  for (const char* architecture : {"llama", "qwen2"}) {
    Write(folder / architecture, Model(architecture));
  }
}

void WriteSafetensors(const std::filesystem::path& folder) {
  const auto write = [&](const char* name, const std::string& header,
                         size_t num_bytes) {
    const uint64_t length = header.size();
    Write(folder / name,
          std::string(reinterpret_cast<const char*>(&length), sizeof(length)) +
              header + std::string(num_bytes, '\0'));
  };
  write("empty", "{}", 0);
  write("scalar", R"({"s":{"dtype":"F16","shape":[],"data_offsets":[0,2]}})",
        2);
  write(
      "types",
      R"({"__metadata__":{"format":"pt"},"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
      R"("b":{"dtype":"F16","shape":[4],"data_offsets":[24,32]},"c":{"dtype":"BF16","shape":[1,2,1],"data_offsets":[32,36]},)"
      R"("d":{"dtype":"I64","shape":[1],"data_offsets":[36,44]}})",
      44);
}

void WriteFolderConfig(const std::filesystem::path& folder) {
  const std::string sizes =
      R"("num_hidden_layers":3,"hidden_size":64,"intermediate_size":160,"num_attention_heads":8,)"
      R"("num_key_value_heads":4,"vocab_size":512,"max_position_embeddings":2048,"rms_norm_eps":1e-06,)";
  Write(
      folder / "llama_today",
      R"({"model_type":"llama",)" + sizes +
          R"("head_dim":8,"attention_bias":false,"mlp_bias":false,"eos_token_id":0,"hidden_act":"silu","rope_parameters":{"factor":8.0,)"
          R"("high_freq_factor":4.0,"low_freq_factor":1.0,"original_max_position_embeddings":256,"rope_theta":500000.0,"rope_type":"llama3"}})");
  Write(
      folder / "llama_older",
      R"({"model_type":"llama",)" + sizes +
          R"("eos_token_id":[0,1],"rope_theta":10000.0,"rope_scaling":{"type":"linear","factor":2.0},"tie_word_embeddings":true})");
  Write(folder / "mistral",
        R"({"model_type":"mistral",)" + sizes +
            R"("head_dim":null,"sliding_window":4096,"eos_token_id":null})");
  Write(
      folder / "qwen2",
      R"({"model_type":"qwen2",)" + sizes +
          R"("use_sliding_window":false,"max_window_layers":28,"layer_types":["full_attention"],"quantization_config":null})");
}

}  // namespace
}  // namespace quire

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: corpus_writer FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  quire::WriteGguf(folder / "gguf");
  quire::WriteSafetensors(folder / "safetensors");
  quire::WriteFolderConfig(folder / "folder_config");
}
