#include "kernels/kv_cache.h"

#include <algorithm>
#include <cstring>

#include "common/check.h"
#include "kernels/half_floats.h"

namespace quire {
namespace {

// Strides, in elements, within the K and the V of a run: element (slot, dim) is
// at
//   dim / depth * key_step + slot * depth + dim % depth          in K
//   slot / depth * value_step + dim * depth + slot % depth       in V
struct RunStrides {
  explicit RunStrides(const KvLayout& layout)
      : depth(layout.format == KvFormat::kF32 ? 1 : 2),
        key_step(kKvRun * depth),
        value_step(layout.padded_dim() * depth) {}
  int64_t depth;
  int64_t key_step;
  int64_t value_step;
};

uint16_t Encoded(uint16_t, float x) { return Bf16FromFloat(x); }
float Encoded(float, float x) { return x; }

template <typename Element>
void WriteSlot(const KvLayout& layout, int slot, const float* k, const float* v,
               std::byte* run) {
  constexpr int kDepth = sizeof(float) / sizeof(Element);
  constexpr int kDims = 16;  // Encoded at a time.
  const RunStrides strides(layout);
  Element* keys = reinterpret_cast<Element*>(run) + slot * kDepth;
  Element* values = reinterpret_cast<Element*>(run + layout.key_bytes()) +
                    slot / kDepth * strides.value_step + slot % kDepth;
  for (int begin = 0; begin < layout.head_dim; begin += kDims) {
    const int count = std::min(kDims, layout.head_dim - begin);
    Element of_key[kDims] = {};
    Element of_value[kDims] = {};
    for (int i = 0; i < count; ++i) {
      of_key[i] = Encoded(Element(), k[begin + i]);
      of_value[i] = Encoded(Element(), v[begin + i]);
    }
    for (int i = 0; i < count; i += kDepth, keys += strides.key_step) {
      std::memcpy(keys, of_key + i, sizeof(float));
    }
    for (int i = 0; i < kDims; ++i, values += kDepth) *values = of_value[i];
  }
}

// The first num_slots < 16 slots of a run.
template <typename Element>
void CopyRunStart(const KvLayout& layout, int num_slots,
                  const std::byte* source, std::byte* destination) {
  const RunStrides strides(layout);
  const Element* from = reinterpret_cast<const Element*>(source);
  Element* to = reinterpret_cast<Element*>(destination);
  for (int dim = 0; dim < layout.head_dim; dim += strides.depth) {
    std::memcpy(to, from, num_slots * strides.depth * sizeof(Element));
    from += strides.key_step;
    to += strides.key_step;
  }
  const int whole = num_slots / strides.depth * strides.value_step;
  std::memcpy(to, from, whole * sizeof(Element));
  if (num_slots % strides.depth == 0) return;
  for (int dim = 0; dim < layout.padded_dim(); ++dim) {
    to[whole + dim * strides.depth] = from[whole + dim * strides.depth];
  }
}

}  // namespace

void WriteKv(const KvLayout& layout, int layer, BlockId block,
             int slot_in_block, const float* k, const float* v,
             std::byte* cache) {
  std::byte* run = cache + layout.Locate(layer, block).offset +
                   slot_in_block / kKvRun * layout.run_bytes();
  const int slot = slot_in_block % kKvRun;
  for (int head = 0; head < layout.num_kv_heads;
       ++head, run += layout.head_bytes()) {
    const int64_t offset = int64_t{head} * layout.head_dim;
    if (layout.format == KvFormat::kF32) {
      WriteSlot<float>(layout, slot, k + offset, v + offset, run);
    } else {
      WriteSlot<uint16_t>(layout, slot, k + offset, v + offset, run);
    }
  }
}

void CopyKvSlots(const KvLayout& layout, BlockId source, BlockId destination,
                 int num_slots, std::byte* cache) {
  QUIRE_CHECK(0 <= num_slots && num_slots <= layout.block_size);
  const int64_t whole_bytes = num_slots / kKvRun * layout.run_bytes();
  const int rest = num_slots % kKvRun;
  for (int layer = 0; layer < layout.num_layers; ++layer) {
    const std::byte* from = cache + layout.Locate(layer, source).offset;
    std::byte* to = cache + layout.Locate(layer, destination).offset;
    for (int head = 0; head < layout.num_kv_heads; ++head) {
      std::memcpy(to, from, whole_bytes);
      if (rest > 0 && layout.format == KvFormat::kF32) {
        CopyRunStart<float>(layout, rest, from + whole_bytes, to + whole_bytes);
      } else if (rest > 0) {
        CopyRunStart<uint16_t>(layout, rest, from + whole_bytes,
                               to + whole_bytes);
      }
      from += layout.head_bytes();
      to += layout.head_bytes();
    }
  }
}

}  // namespace quire
