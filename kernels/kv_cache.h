#ifndef QUIRE_KERNELS_KV_CACHE_H_
#define QUIRE_KERNELS_KV_CACHE_H_

#include <cstddef>
#include <cstdint>

#include "common/ids.h"

namespace quire {

enum class KvFormat { kF32, kBf16 };

// K and V are stored for runs of this many slots, so a block's size is a
// multiple of it.
inline constexpr int kKvRun = 16;

// A range of a cache.
struct KvExtent {
  int64_t offset;  // Bytes from the cache's start.
  int64_t bytes;
};

// Where the KV cache of one rank keeps what. A block is contiguous, so that it
// is copied or moved elsewhere whole, and its memory becomes resident as blocks
// come into use:
//
//   [block][layer][KV head][run of 16 slots] K of the run, then V of the run
//
//   kF32:   K [head_dim][16 slots],        V [16 slots][padded_dim]
//   kBf16:  K [head_dim / 2][16 slots][2], V [8][padded_dim][2 slots]
//
// so that one load brings the same dim (or two) of 16 keys, or 16 dims of the
// same value (or two).
struct KvLayout {
  KvFormat format = KvFormat::kBf16;
  int num_layers = 0;
  int num_kv_heads = 0;
  int head_dim = 0;  // Even.
  int block_size = kKvRun;

  // head_dim filled up to a multiple of 16; the rest is zero.
  int padded_dim() const { return (head_dim + 15) / 16 * 16; }
  int64_t key_bytes() const {
    return int64_t{kKvRun} * head_dim * element_bytes();
  }
  int64_t run_bytes() const {
    return key_bytes() + int64_t{kKvRun} * padded_dim() * element_bytes();
  }
  int64_t head_bytes() const { return block_size / kKvRun * run_bytes(); }
  int64_t layer_bytes() const { return num_kv_heads * head_bytes(); }
  int64_t block_bytes() const { return num_layers * layer_bytes(); }
  int64_t bytes_per_slot() const { return block_bytes() / block_size; }
  int64_t element_bytes() const { return format == KvFormat::kF32 ? 4 : 2; }

  // The one place that knows where a block's share of a layer is. KV head h
  // begins h * head_bytes() into it.
  KvExtent Locate(int layer, BlockId block) const {
    return {block.value() * block_bytes() + layer * layer_bytes(),
            layer_bytes()};
  }
};

// Writes one token's K and V to a slot. k, v: [num_kv_heads, head_dim].
// Different threads may write different slots.
void WriteKv(const KvLayout& layout, int layer, BlockId block,
             int slot_in_block, const float* k, const float* v,
             std::byte* cache);

// The first num_slots slots of `source`, in every layer, go to `destination`;
// its other slots stay as they are.
void CopyKvSlots(const KvLayout& layout, BlockId source, BlockId destination,
                 int num_slots, std::byte* cache);

}  // namespace quire

#endif  // QUIRE_KERNELS_KV_CACHE_H_
