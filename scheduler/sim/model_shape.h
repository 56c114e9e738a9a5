#ifndef QUIRE_SCHEDULER_SIM_MODEL_SHAPE_H_
#define QUIRE_SCHEDULER_SIM_MODEL_SHAPE_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/modelfile/model_config.h"

namespace quire {

// What a model costs: its weights, its KV cache, its products. With the
// machines that it is spread over.
struct ModelShape {
  std::string name;
  uint64_t num_layers = 0;
  uint64_t hidden_size = 0;
  uint64_t kv_size =
      0;  // Of one token's K in one layer: KV heads by their size.
  uint64_t query_size = 0;  // Heads by their size.
  uint64_t num_parameters = 0;
  uint64_t bytes_per_weight = 2;
  uint64_t bytes_per_kv_element = 2;
  uint32_t context_length = 0;  // Tokens.
  std::string machine;          // A name in machines.inc.
  uint32_t num_devices = 1;     // Of that machine, tensor-parallel.
  uint64_t num_slots = 0;       // Of the KV cache, where memory is left for it.

  uint64_t bytes_per_slot() const {
    return 2 * num_layers * kv_size * bytes_per_kv_element;
  }
  uint64_t weight_bytes() const { return num_parameters * bytes_per_weight; }

  // Makes the KV cache of what the weights leave of so many bytes on each
  // device. INVALID_ARGUMENT with the numbers where that is not a slot.
  absl::Status FillDevices(uint64_t device_bytes);
};

// The models of Kwon et al. (2023), table 1: "opt-13b" on one A100 of 40 GB,
// "opt-66b" on four, "opt-175b" on eight A100 of 80 GB; and of its section 6.4:
// "llama-13b", placed as "opt-13b". INVALID_ARGUMENT lists them.
absl::StatusOr<ModelShape> FindModelShape(const std::string& name);

// A model that this project can serve, its weights and KV stored in so many
// bytes an element. Machine, devices and slots are the caller's to say.
// INVALID_ARGUMENT names the sizes whose product no devices hold.
// REQUIRES: the configuration is valid.
absl::StatusOr<ModelShape> ShapeOf(const ModelConfig& config,
                                   uint64_t bytes_per_element);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SIM_MODEL_SHAPE_H_
