#include "kernels/kv_cache.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "kernels/half_floats.h"
#include "tests/kernels/kernel_testing.h"

namespace quire {
namespace {

class KvCacheTest : public testing::TestWithParam<KvFormat> {
 protected:
  static constexpr int kBlocks = 3;

  KvCacheTest() : cache_(kBlocks * layout_.block_bytes(), 0xff) {}

  // Fills a slot of every layer with numbers that depend on `seed` and the
  // layer.
  void WriteSlot(uint32_t block, int slot, uint64_t seed) {
    const int64_t size = int64_t{layout_.num_kv_heads} * layout_.head_dim;
    for (int layer = 0; layer < layout_.num_layers; ++layer) {
      RandomFloats random(seed * 100 + layer);
      const std::vector<float> k = random.Bf16Vector(size);
      const std::vector<float> v = random.Bf16Vector(size);
      WriteKv(layout_, layer, BlockId(block), slot, k.data(), v.data(),
              cache_.data());
    }
  }

  // The layout of kv_cache.h, spelled out.
  float ReadElement(int64_t offset, int64_t index) const {
    const std::byte* p = const_cast<AlignedBytes&>(cache_).data() + offset +
                         index * layout_.element_bytes();
    if (layout_.format == KvFormat::kF32) {
      float value;
      std::memcpy(&value, p, 4);
      return value;
    }
    uint16_t value;
    std::memcpy(&value, p, 2);
    return FloatFromBf16(value);
  }
  int64_t RunOffset(int layer, uint32_t block, int head, int slot) const {
    return layout_.Locate(layer, BlockId(block)).offset +
           head * layout_.head_bytes() + slot / 16 * layout_.run_bytes();
  }
  float Key(int layer, uint32_t block, int head, int slot, int dim) const {
    const int depth = layout_.format == KvFormat::kF32 ? 1 : 2;
    return ReadElement(RunOffset(layer, block, head, slot),
                       (dim / depth * 16 + slot % 16) * depth + dim % depth);
  }
  float Value(int layer, uint32_t block, int head, int slot, int dim) const {
    const int depth = layout_.format == KvFormat::kF32 ? 1 : 2;
    return ReadElement(
        RunOffset(layer, block, head, slot) + layout_.key_bytes(),
        (slot % 16 / depth * layout_.padded_dim() + dim) * depth +
            slot % depth);
  }

  // Whether a slot holds what WriteSlot(.., seed) wrote.
  testing::AssertionResult Holds(uint32_t block, int slot,
                                 uint64_t seed) const {
    const int64_t size = int64_t{layout_.num_kv_heads} * layout_.head_dim;
    for (int layer = 0; layer < layout_.num_layers; ++layer) {
      RandomFloats random(seed * 100 + layer);
      const std::vector<float> k = random.Bf16Vector(size);
      const std::vector<float> v = random.Bf16Vector(size);
      for (int i = 0; i < size; ++i) {
        const int head = i / layout_.head_dim, dim = i % layout_.head_dim;
        if (Key(layer, block, head, slot, dim) != k[i] ||
            Value(layer, block, head, slot, dim) != v[i]) {
          return testing::AssertionFailure()
                 << "block " << block << " slot " << slot << " layer " << layer
                 << " head " << head << " dim " << dim;
        }
      }
    }
    return testing::AssertionSuccess();
  }

  const KvLayout layout_{.format = GetParam(),
                         .num_layers = 2,
                         .num_kv_heads = 3,
                         .head_dim = 20,
                         .block_size = 48};
  AlignedBytes cache_;
};

INSTANTIATE_TEST_SUITE_P(All, KvCacheTest,
                         testing::Values(KvFormat::kF32, KvFormat::kBf16),
                         [](const testing::TestParamInfo<KvFormat>& info) {
                           return std::string(
                               info.param == KvFormat::kF32 ? "f32" : "bf16");
                         });

TEST_P(KvCacheTest, LayersOfABlockAreNeighboursAndBlocksDoNotOverlap) {
  const KvExtent first = layout_.Locate(0, BlockId(0));
  const KvExtent second = layout_.Locate(1, BlockId(0));
  EXPECT_EQ(first.offset, 0);
  EXPECT_EQ(second.offset, first.offset + first.bytes);
  EXPECT_EQ(layout_.Locate(0, BlockId(1)).offset, second.offset + second.bytes);
  EXPECT_EQ(layout_.bytes_per_slot() * layout_.block_size,
            layout_.block_bytes());
}

TEST_P(KvCacheTest, OffsetsPassFourGigabytes) {
  const int64_t offset = layout_.Locate(1, BlockId(4'000'000'000)).offset;
  EXPECT_EQ(offset,
            4'000'000'000 * layout_.block_bytes() + layout_.layer_bytes());
}

TEST_P(KvCacheTest, EverySlotKeepsItsOwnKeyAndValue) {
  for (int slot = 0; slot < 48; ++slot) WriteSlot(1, slot, slot);
  for (int slot = 0; slot < 48; ++slot) EXPECT_TRUE(Holds(1, slot, slot));
}

TEST_P(KvCacheTest, CopyTakesTheFirstSlotsAndLeavesTheOthers) {
  for (int num_slots : {0, 1, 2, 15, 16, 17, 31, 33, 48}) {
    for (int slot = 0; slot < 48; ++slot) {
      WriteSlot(0, slot, slot);
      WriteSlot(2, slot, 1000 + slot);
    }
    CopyKvSlots(layout_, BlockId(0), BlockId(2), num_slots, cache_.data());
    for (int slot = 0; slot < 48; ++slot) {
      ASSERT_TRUE(Holds(2, slot, slot < num_slots ? slot : 1000 + slot))
          << num_slots << " copied";
    }
  }
}

}  // namespace
}  // namespace quire
