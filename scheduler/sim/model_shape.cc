#include "scheduler/sim/model_shape.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/check_range.h"
#include "common/status_macros.h"

namespace quire {
namespace {

// Far above any device, and small enough that those of all can be added up.
constexpr uint64_t kMaxDeviceBytes = uint64_t{1} << 50;

// What so many devices hold, CheckRange("devices") allowing 1024.
constexpr double kMaxWeightBytes = 1024.0 * kMaxDeviceBytes;

// Sizes just within their limits have a product beyond 64 bits, which is why it
// is also computed in double.
template <typename Number>
Number NumParameters(const ModelConfig& config) {
  const auto hidden = static_cast<Number>(config.hidden_size);
  const auto query = static_cast<Number>(config.num_heads * config.head_dim);
  const auto kv = static_cast<Number>(config.num_kv_heads * config.head_dim);
  const auto attention = 2 * hidden * (query + kv);
  const auto feed_forward =
      3 * hidden * static_cast<Number>(config.intermediate_size);
  // Of an embedding that is not tied, a step reads only the output matrix.
  return static_cast<Number>(config.num_layers) * (attention + feed_forward) +
         hidden * static_cast<Number>(config.vocabulary_size);
}

// OPT (Zhang et al., 2022): per layer four matrices of attention and two of the
// feed-forward part, which is four times as wide; one embedding, used twice.
ModelShape Opt(const std::string& name, uint64_t num_layers,
               uint64_t hidden_size) {
  constexpr uint64_t kVocabulary = 50272;
  return {.name = name,
          .num_layers = num_layers,
          .hidden_size = hidden_size,
          .kv_size = hidden_size,
          .query_size = hidden_size,
          .num_parameters = 12 * num_layers * hidden_size * hidden_size +
                            kVocabulary * hidden_size,
          .context_length = 2048};
}

// Touvron et al., 2023.
ModelShape Llama13b() {
  return *ShapeOf({.architecture = "llama-13b",
                   .num_layers = 40,
                   .hidden_size = 5120,
                   .intermediate_size = 13824,
                   .num_heads = 40,
                   .num_kv_heads = 40,
                   .head_dim = 128,
                   .vocabulary_size = 32000,
                   .context_length = 2048},
                  /*bytes_per_element=*/2);
}

ModelShape Placed(ModelShape shape, const std::string& machine,
                  uint32_t num_devices, double kv_gib) {
  shape.machine = machine;
  shape.num_devices = num_devices;
  shape.num_slots =
      static_cast<uint64_t>(kv_gib * 0x1p30) / shape.bytes_per_slot();
  return shape;
}

std::array<ModelShape, 4> Models() {
  return {Placed(Opt("opt-13b", 40, 5120), "a100-40gb", 1, 12),
          Placed(Opt("opt-66b", 64, 9216), "a100-40gb", 4, 21.3),
          Placed(Opt("opt-175b", 96, 12288), "a100-80gb", 8, 264),
          Placed(Llama13b(), "a100-40gb", 1, 12)};
}

}  // namespace

absl::Status ModelShape::FillDevices(uint64_t device_bytes) {
  QUIRE_RETURN_IF_ERROR(
      CheckRange("device_memory", device_bytes, 1, kMaxDeviceBytes));
  const uint64_t bytes = device_bytes * num_devices;
  if (bytes < weight_bytes() + bytes_per_slot()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "device_memory is ", device_bytes, ", which on ", num_devices,
        " devices has no room for the KV cache: the weights take ",
        weight_bytes(), " bytes, a slot ", bytes_per_slot()));
  }
  num_slots = (bytes - weight_bytes()) / bytes_per_slot();
  return absl::OkStatus();
}

absl::StatusOr<ModelShape> FindModelShape(const std::string& name) {
  std::string names;
  for (const ModelShape& shape : Models()) {
    if (name == shape.name) return shape;
    absl::StrAppend(&names, names.empty() ? "" : ", ", shape.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("there is no model ", name, "; there are: ", names));
}

absl::StatusOr<ModelShape> ShapeOf(const ModelConfig& config,
                                   uint64_t bytes_per_element) {
  const double weight_bytes =
      NumParameters<double>(config) * static_cast<double>(bytes_per_element);
  if (weight_bytes > kMaxWeightBytes) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "weight_bytes is %.4g, must be at most %.4g: num_layers is %d, "
        "hidden_size %d, intermediate_size %d, vocabulary_size %d",
        weight_bytes, kMaxWeightBytes, config.num_layers, config.hidden_size,
        config.intermediate_size, config.vocabulary_size));
  }
  ModelShape shape;
  shape.name = config.architecture;
  shape.num_layers = config.num_layers;
  shape.hidden_size = config.hidden_size;
  shape.kv_size = config.num_kv_heads * config.head_dim;
  shape.query_size = config.num_heads * config.head_dim;
  shape.num_parameters = NumParameters<uint64_t>(config);
  shape.bytes_per_weight = bytes_per_element;
  shape.bytes_per_kv_element = bytes_per_element;
  shape.context_length = config.context_length;
  return shape;
}

}  // namespace quire
