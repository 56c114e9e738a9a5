#include "worker/weights/weights_loader.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/status_macros.h"
#include "kernels/dequantize.h"
#include "kernels/matrix_format.h"
#include "kernels/packed_matrix.h"

namespace quire {

WeightsLoader::WeightsLoader(const ModelFiles& files, WeightPrecision precision,
                             const ShardPlan& shard, ThreadPool* pool)
    : files_(files),
      config_(files.config()),
      precision_(precision),
      shard_(shard),
      pool_(pool),
      weights_(new Weights) {}

absl::StatusOr<std::unique_ptr<Weights>> WeightsLoader::Load() {
  QUIRE_RETURN_IF_ERROR(PlaceAll());
  QUIRE_ASSIGN_OR_RETURN(weights_->memory_,
                         MappedMemory::Allocate(num_bytes_, "the weights"));
  weights_->num_bytes_ = num_bytes_;
  FillVectors();
  QUIRE_RETURN_IF_ERROR(FillMatrices());
  CopyEmbedding();
  return std::move(weights_);
}

absl::Status WeightsLoader::PlaceAll() {
  weights_->layers_.resize(
      config_.num_layers);  // Never moves afterwards: places point into it.
  for (int64_t layer = 0; layer < config_.num_layers; ++layer) {
    QUIRE_RETURN_IF_ERROR(PlaceLayer(layer));
  }
  QUIRE_RETURN_IF_ERROR(
      PlaceVector({Whole("output_norm.weight", config_.hidden_size)},
                  weights_->output_norm_));
  const std::string output =
      config_.tied_embeddings ? "token_embd.weight" : "output.weight";
  QUIRE_RETURN_IF_ERROR(
      PlaceMatrix({{output, config_.vocabulary_size, shard_.vocabulary}},
                  AllInputs(), weights_->output_));
  if (config_.has_rope_factors) {
    QUIRE_RETURN_IF_ERROR(PlaceVector(
        {Whole("rope_freqs.weight", config_.head_dim / 2)}, rope_factors_));
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
  const int64_t dim = config_.head_dim;
  QUIRE_RETURN_IF_ERROR(
      PlaceVector({Whole(prefix + "attn_norm.weight", config_.hidden_size)},
                  weights.attention_norm));
  QUIRE_RETURN_IF_ERROR(
      PlaceStack(QkvParts(prefix, ".weight"), AllInputs(), weights.qkv));
  if (config_.attention_bias) {
    QUIRE_RETURN_IF_ERROR(
        PlaceVector(QkvParts(prefix, ".bias"), weights.qkv_bias));
  }
  return PlaceMatrix(
      {Whole(prefix + "attn_output.weight", config_.hidden_size)},
      {config_.num_heads * dim,
       {shard_.heads.begin * dim, shard_.heads.end * dim}},
      weights.attention_output);
}

std::vector<WeightsLoader::Part> WeightsLoader::QkvParts(
    const std::string& prefix, const std::string& kind) const {
  const auto part = [&](const char* name, int64_t num_heads,
                        const ShardRange& share) {
    const int64_t dim = config_.head_dim;
    return Part{prefix + name + kind,
                num_heads * dim,
                {share.begin * dim, share.end * dim}};
  };
  return {part("attn_q", config_.num_heads, shard_.heads),
          part("attn_k", config_.num_kv_heads, shard_.kv_heads),
          part("attn_v", config_.num_kv_heads, shard_.kv_heads)};
}

absl::Status WeightsLoader::PlaceFeedForward(const std::string& prefix,
                                             LayerWeights& weights) {
  const int64_t size = config_.intermediate_size;
  QUIRE_RETURN_IF_ERROR(
      PlaceVector({Whole(prefix + "ffn_norm.weight", config_.hidden_size)},
                  weights.ffn_norm));
  const Part gate = {prefix + "ffn_gate.weight", size, shard_.intermediate};
  const Part up = {prefix + "ffn_up.weight", size, shard_.intermediate};
  const bool are_bytes = HaveByteFormats({gate, up});
  QUIRE_RETURN_IF_ERROR(
      PlaceMatrix({gate}, AllInputs(), weights.gate, are_bytes));
  QUIRE_RETURN_IF_ERROR(PlaceMatrix({up}, AllInputs(), weights.up, are_bytes));
  return PlaceMatrix({Whole(prefix + "ffn_down.weight", config_.hidden_size)},
                     {size, shard_.intermediate}, weights.down);
}

absl::Status WeightsLoader::PlaceEmbedding() {
  QUIRE_ASSIGN_OR_RETURN(const TensorView* whole,
                         Find("token_embd.weight",
                              {config_.vocabulary_size, config_.hidden_size}));
  embedding_ = Slice(whole, shard_.vocabulary);
  embedding_offset_ = Reserve(static_cast<int64_t>(embedding_->data.size()));
  return absl::OkStatus();
}

absl::Status WeightsLoader::PlaceMatrix(const std::vector<Part>& parts,
                                        const Inputs& inputs,
                                        PackedMatrix& matrix,
                                        bool may_be_bytes) {
  MatrixPlace place;
  matrix.num_inputs = inputs.share.size();
  place.first_input = inputs.share.begin;
  for (const Part& part : parts) {
    QUIRE_ASSIGN_OR_RETURN(const TensorView* tensor,
                           Find(part.name, {part.size, inputs.size}));
    place.parts.push_back(Slice(tensor, part.share));
    matrix.num_outputs += part.share.size();
  }
  matrix.format = FormatFor(place.parts, inputs.share);
  if (!may_be_bytes && IsByteFormat(matrix.format)) {
    matrix.format = MatrixFormat::kBf16;
  }
  place.offset = Reserve(matrix.num_bytes());
  place.matrix = &matrix;
  matrices_.push_back(std::move(place));
  return absl::OkStatus();
}

absl::Status WeightsLoader::PlaceStack(const std::vector<Part>& parts,
                                       const Inputs& inputs,
                                       MatrixStack& stack) {
  stack.reserve(parts.size());  // Never moves: places point into it.
  for (const std::vector<Part>& same : SplitByFormat(parts)) {
    QUIRE_RETURN_IF_ERROR(PlaceMatrix(same, inputs, stack.emplace_back()));
  }
  return absl::OkStatus();
}

bool WeightsLoader::HaveByteFormats(const std::vector<Part>& parts) const {
  return std::all_of(parts.begin(), parts.end(), [&](const Part& part) {
    const TensorView* tensor = files_.FindTensor(part.name);
    return tensor != nullptr && IsByteFormat(FormatFor({tensor}));
  });
}

std::vector<std::vector<WeightsLoader::Part>> WeightsLoader::SplitByFormat(
    const std::vector<Part>& parts) const {
  if (!HaveByteFormats(parts)) return {parts};
  std::vector<std::vector<Part>> split;
  MatrixFormat last = MatrixFormat::kF32;
  for (const Part& part : parts) {
    const MatrixFormat format = FormatFor({files_.FindTensor(part.name)});
    if (format != last) split.emplace_back();
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
    place.parts.push_back(Slice(tensor, part.share));
    size += part.share.size();
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

const TensorView* WeightsLoader::Slice(const TensorView* tensor,
                                       const ShardRange& rows) {
  if (rows.size() == tensor->shape[0]) return tensor;
  TensorView& slice = slices_.emplace_back(*tensor);
  const size_t row_bytes = tensor->data.size() / tensor->shape[0];
  slice.shape[0] = rows.size();
  slice.data =
      tensor->data.subspan(rows.begin * row_bytes, rows.size() * row_bytes);
  return &slice;
}

// Byte formats have whole groups of 32 inputs, into which superblocks come
// apart when they are packed.
MatrixFormat WeightsLoader::FormatFor(
    const std::vector<const TensorView*>& parts,
    const ShardRange& inputs) const {
  const MatrixFormat format = FormatFor(parts);
  const bool cuts_groups =
      inputs.begin % kInputGroup != 0 || inputs.end % kInputGroup != 0;
  return cuts_groups && IsByteFormat(format) ? MatrixFormat::kBf16 : format;
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

absl::Status WeightsLoader::FillMatrices() {
  for (const MatrixPlace& place : matrices_) {
    PackedMatrix& matrix = *place.matrix;
    matrix.data = weights_->memory_.data() + place.offset;
    std::atomic<bool> is_valid = true;
    pool_->ParallelFor(matrix.num_strips(), [&](int64_t begin, int64_t end) {
      if (!PackStrips(place.parts, matrix, begin, end, place.first_input)) {
        is_valid = false;
      }
    });
    if (!is_valid) {
      const auto add_name = [](std::string* names, const TensorView* part) {
        names->append(part->name);
      };
      return absl::InvalidArgumentError(absl::StrCat(
          absl::StrJoin(place.parts, ", ", add_name),
          ": a weight is not a number, or beyond ", kMaxQuantizedWeight));
    }
  }
  return absl::OkStatus();
}

void WeightsLoader::CopyEmbedding() {
  std::byte* copy = weights_->memory_.data() + embedding_offset_;
  std::memcpy(copy, embedding_->data.data(), embedding_->data.size());
  weights_->embedding_ = copy;
  weights_->embedding_type_ = embedding_->type;
  weights_->hidden_size_ = config_.hidden_size;
  weights_->embedding_row_bytes_ =
      static_cast<int64_t>(embedding_->data.size()) / shard_.vocabulary.size();
  weights_->vocabulary_ = shard_.vocabulary;
}

}  // namespace quire
