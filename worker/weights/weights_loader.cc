#include "worker/weights/weights_loader.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status_macros.h"
#include "kernels/dequantize.h"
#include "kernels/matrix_format.h"

namespace quire {

WeightsLoader::WeightsLoader(const ModelFiles& files, WeightPrecision precision,
                             ThreadPool* pool)
    : files_(files),
      config_(files.config()),
      precision_(precision),
      pool_(pool),
      weights_(new Weights) {}

absl::StatusOr<std::unique_ptr<Weights>> WeightsLoader::Load() {
  QUIRE_RETURN_IF_ERROR(PlaceAll());
  QUIRE_ASSIGN_OR_RETURN(weights_->memory_,
                         MappedMemory::Allocate(num_bytes_, "the weights"));
  FillVectors();
  FillMatrices();
  CopyEmbedding();
  return std::move(weights_);
}

absl::Status WeightsLoader::PlaceAll() {
  weights_->layers_.resize(
      config_.num_layers);  // Never moves afterwards: places point into it.
  for (int64_t layer = 0; layer < config_.num_layers; ++layer) {
    QUIRE_RETURN_IF_ERROR(PlaceLayer(layer));
  }
  QUIRE_RETURN_IF_ERROR(PlaceVector(
      {{"output_norm.weight", config_.hidden_size}}, weights_->output_norm_));
  const std::string output =
      config_.tied_embeddings ? "token_embd.weight" : "output.weight";
  QUIRE_RETURN_IF_ERROR(PlaceMatrix({{output, config_.vocabulary_size}},
                                    config_.hidden_size, weights_->output_));
  if (config_.has_rope_factors) {
    QUIRE_RETURN_IF_ERROR(PlaceVector(
        {{"rope_freqs.weight", config_.head_dim / 2}}, rope_factors_));
  }
  return PlaceEmbedding();
}

absl::Status WeightsLoader::PlaceLayer(int64_t layer) {
  const std::string prefix = absl::StrCat("blk.", layer, ".");
  LayerWeights& weights = weights_->layers_[layer];
  QUIRE_RETURN_IF_ERROR(PlaceAttention(prefix, weights));
  return PlaceFeedForward(prefix, weights);
}

absl::Status WeightsLoader::PlaceAttention(const std::string& prefix,
                                           LayerWeights& weights) {
  const int64_t q = config_.num_heads * config_.head_dim;
  const int64_t kv = config_.num_kv_heads * config_.head_dim;
  QUIRE_RETURN_IF_ERROR(
      PlaceVector({{prefix + "attn_norm.weight", config_.hidden_size}},
                  weights.attention_norm));
  QUIRE_RETURN_IF_ERROR(PlaceStack({{prefix + "attn_q.weight", q},
                                    {prefix + "attn_k.weight", kv},
                                    {prefix + "attn_v.weight", kv}},
                                   config_.hidden_size, weights.qkv));
  if (config_.attention_bias)
    QUIRE_RETURN_IF_ERROR(PlaceQkvBias(prefix, weights));
  return PlaceMatrix({{prefix + "attn_output.weight", config_.hidden_size}}, q,
                     weights.attention_output);
}

absl::Status WeightsLoader::PlaceQkvBias(const std::string& prefix,
                                         LayerWeights& weights) {
  const int64_t kv = config_.num_kv_heads * config_.head_dim;
  return PlaceVector(
      {{prefix + "attn_q.bias", config_.num_heads * config_.head_dim},
       {prefix + "attn_k.bias", kv},
       {prefix + "attn_v.bias", kv}},
      weights.qkv_bias);
}

absl::Status WeightsLoader::PlaceFeedForward(const std::string& prefix,
                                             LayerWeights& weights) {
  QUIRE_RETURN_IF_ERROR(PlaceVector(
      {{prefix + "ffn_norm.weight", config_.hidden_size}}, weights.ffn_norm));
  QUIRE_RETURN_IF_ERROR(
      PlaceStack({{prefix + "ffn_gate.weight", config_.intermediate_size},
                  {prefix + "ffn_up.weight", config_.intermediate_size}},
                 config_.hidden_size, weights.gate_up));
  return PlaceMatrix({{prefix + "ffn_down.weight", config_.hidden_size}},
                     config_.intermediate_size, weights.down);
}

absl::Status WeightsLoader::PlaceEmbedding() {
  QUIRE_ASSIGN_OR_RETURN(embedding_,
                         Find("token_embd.weight",
                              {config_.vocabulary_size, config_.hidden_size}));
  embedding_offset_ = Reserve(static_cast<int64_t>(embedding_->data.size()));
  return absl::OkStatus();
}

absl::Status WeightsLoader::PlaceMatrix(const std::vector<Part>& parts,
                                        int64_t num_inputs,
                                        PackedMatrix& matrix) {
  MatrixPlace place;
  matrix.num_inputs = num_inputs;
  for (const Part& part : parts) {
    QUIRE_ASSIGN_OR_RETURN(const TensorView* tensor,
                           Find(part.name, {part.size, num_inputs}));
    place.parts.push_back(tensor);
    matrix.num_outputs += part.size;
  }
  matrix.format = FormatFor(place.parts);
  place.offset = Reserve(matrix.num_bytes());
  place.matrix = &matrix;
  matrices_.push_back(std::move(place));
  return absl::OkStatus();
}

absl::Status WeightsLoader::PlaceStack(const std::vector<Part>& parts,
                                       int64_t num_inputs, MatrixStack& stack) {
  stack.reserve(parts.size());  // Never moves: places point into it.
  for (const std::vector<Part>& same : SplitByFormat(parts)) {
    QUIRE_RETURN_IF_ERROR(PlaceMatrix(same, num_inputs, stack.emplace_back()));
  }
  return absl::OkStatus();
}

std::vector<std::vector<WeightsLoader::Part>> WeightsLoader::SplitByFormat(
    const std::vector<Part>& parts) const {
  std::vector<std::vector<Part>> split;
  MatrixFormat last = MatrixFormat::kF32;
  for (const Part& part : parts) {
    const TensorView* tensor = files_.FindTensor(part.name);
    const MatrixFormat format =
        tensor == nullptr ? MatrixFormat::kF32 : FormatFor({tensor});
    if (!IsByteFormat(format)) return {parts};
    if (split.empty() || format != last) split.emplace_back();
    split.back().push_back(part);
    last = format;
  }
  return split;
}

absl::Status WeightsLoader::PlaceVector(const std::vector<Part>& parts,
                                        const float*& vector) {
  VectorPlace place;
  int64_t size = 0;
  for (const Part& part : parts) {
    QUIRE_ASSIGN_OR_RETURN(const TensorView* tensor,
                           Find(part.name, {part.size}));
    place.parts.push_back(tensor);
    size += part.size;
  }
  place.offset = Reserve(size * static_cast<int64_t>(sizeof(float)));
  place.vector = &vector;
  vectors_.push_back(std::move(place));
  return absl::OkStatus();
}

absl::StatusOr<const TensorView*> WeightsLoader::Find(
    const std::string& name, const std::vector<int64_t>& shape) const {
  const TensorView* tensor = files_.FindTensor(name);
  if (tensor == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(name, ": no such tensor"));
  }
  if (tensor->shape != shape) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": shape [", absl::StrJoin(tensor->shape, ", "),
                     "] where [", absl::StrJoin(shape, ", "), "] is expected"));
  }
  const int64_t group = GetTensorTypeInfo(tensor->type).elements;
  if (shape.back() % group != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": rows of ", shape.back(),
                     " elements are no multiple of the type's ", group));
  }
  return tensor;
}

MatrixFormat WeightsLoader::FormatFor(
    const std::vector<const TensorView*>& parts) const {
  if (precision_ == WeightPrecision::kExact) return MatrixFormat::kF32;
  const MatrixFormat format = FastFormatOf(parts[0]->type);
  const bool is_everywhere =
      std::all_of(parts.begin(), parts.end(), [&](const TensorView* part) {
        return FastFormatOf(part->type) == format;
      });
  return is_everywhere ? format : MatrixFormat::kBf16;
}

int64_t WeightsLoader::Reserve(int64_t num_bytes) {
  const int64_t offset = num_bytes_;
  num_bytes_ += (num_bytes + 63) / 64 * 64;
  return offset;
}

void WeightsLoader::FillVectors() {
  for (const VectorPlace& place : vectors_) {
    float* values =
        reinterpret_cast<float*>(weights_->memory_.data() + place.offset);
    *place.vector = values;
    for (const TensorView* part : place.parts) {
      Dequantize(part->type, part->data.data(), part->num_elements(), values);
      values += part->num_elements();
    }
  }
  if (rope_factors_ != nullptr) {
    weights_->rope_factors_ = {rope_factors_,
                               static_cast<size_t>(config_.head_dim / 2)};
  }
}

void WeightsLoader::FillMatrices() {
  for (const MatrixPlace& place : matrices_) {
    PackedMatrix& matrix = *place.matrix;
    matrix.data = weights_->memory_.data() + place.offset;
    pool_->ParallelFor(matrix.num_strips(), [&](int64_t begin, int64_t end) {
      PackStrips(place.parts, matrix, begin, end);
    });
  }
}

void WeightsLoader::CopyEmbedding() {
  std::byte* copy = weights_->memory_.data() + embedding_offset_;
  std::memcpy(copy, embedding_->data.data(), embedding_->data.size());
  weights_->embedding_ = copy;
  weights_->embedding_type_ = embedding_->type;
  weights_->hidden_size_ = config_.hidden_size;
  weights_->embedding_row_bytes_ =
      static_cast<int64_t>(embedding_->data.size()) / config_.vocabulary_size;
}

}  // namespace quire
