#include "kernels/dequantize.h"

#include <cstddef>
#include <cstring>

#include "common/check.h"
#include "kernels/half_floats.h"

// A stored group is called a block in GGML: 32 elements, or 256 with a scale
// for every 16 or 32 of them. The order of roundings is part of the contract:
// scale times quant first, then the minimum.

namespace quire {
namespace {

const uint8_t* Bytes(const std::byte* p) {
  return reinterpret_cast<const uint8_t*>(p);
}

template <typename T>
T Read(const uint8_t* p) {
  T value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

float ReadF16(const uint8_t* p) { return FloatFromF16(Read<uint16_t>(p)); }

void F32(const uint8_t* s, float* y) { *y = Read<float>(s); }
void F16(const uint8_t* s, float* y) { *y = ReadF16(s); }
void Bf16(const uint8_t* s, float* y) { *y = FloatFromBf16(Read<uint16_t>(s)); }

// d, 16 bytes: low nibbles are the first half.
void Q4_0(const uint8_t* s, float* y) {
  const float d = ReadF16(s);
  for (int i = 0; i < 16; ++i) {
    y[i] = d * static_cast<float>((s[2 + i] & 15) - 8);
    y[i + 16] = d * static_cast<float>((s[2 + i] >> 4) - 8);
  }
}

// d, m, 16 bytes.
void Q4_1(const uint8_t* s, float* y) {
  const float d = ReadF16(s);
  const float m = ReadF16(s + 2);
  for (int i = 0; i < 16; ++i) {
    y[i] = d * static_cast<float>(s[4 + i] & 15) + m;
    y[i + 16] = d * static_cast<float>(s[4 + i] >> 4) + m;
  }
}

// The fifth bits of 32 quants are one word; element i's is bit i.
int FifthBit(uint32_t bits, int i) {
  return static_cast<int>((bits >> i) & 1) << 4;
}

// d, fifth bits, 16 bytes.
void Q5_0(const uint8_t* s, float* y) {
  const float d = ReadF16(s);
  const uint32_t high = Read<uint32_t>(s + 2);
  for (int i = 0; i < 16; ++i) {
    const int q = s[6 + i];
    y[i] = d * static_cast<float>(((q & 15) | FifthBit(high, i)) - 16);
    y[i + 16] =
        d * static_cast<float>(((q >> 4) | FifthBit(high, i + 16)) - 16);
  }
}

// d, m, fifth bits, 16 bytes.
void Q5_1(const uint8_t* s, float* y) {
  const float d = ReadF16(s);
  const float m = ReadF16(s + 2);
  const uint32_t high = Read<uint32_t>(s + 4);
  for (int i = 0; i < 16; ++i) {
    const int q = s[8 + i];
    y[i] = d * static_cast<float>((q & 15) | FifthBit(high, i)) + m;
    y[i + 16] = d * static_cast<float>((q >> 4) | FifthBit(high, i + 16)) + m;
  }
}

// d, 32 bytes.
void Q8_0(const uint8_t* s, float* y) {
  const float d = ReadF16(s);
  for (int i = 0; i < 32; ++i) {
    y[i] = static_cast<float>(static_cast<int8_t>(s[2 + i])) * d;
  }
}

// 16 bytes of (scale, minimum) nibbles, 64 bytes of two-bit quants, d, dmin.
// Every 32 bytes hold four runs of 32 elements.
void Q2_K(const uint8_t* s, float* y) {
  const uint8_t* quants = s + 16;
  const float d = ReadF16(s + 80);
  const float dmin = ReadF16(s + 82);
  for (int i = 0; i < 256; ++i) {
    const uint8_t scale = s[i / 16];
    const int q = (quants[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2)) & 3;
    y[i] = d * static_cast<float>(scale & 15) * static_cast<float>(q) -
           dmin * static_cast<float>(scale >> 4);
  }
}

// Sixteen scales of six bits in 12 bytes: low nibbles in the first eight, upper
// pairs of bits in the last four.
int Q3Scale(const uint8_t* scales, int i) {
  const int low = (scales[i % 8] >> (i / 8 * 4)) & 15;
  const int high = (scales[8 + i % 4] >> (i / 4 * 2)) & 3;
  return (low | high << 4) - 32;
}

// 32 bytes of third bits (set: nothing is subtracted), 64 bytes of two-bit
// quants, scales, d.
void Q3_K(const uint8_t* s, float* y) {
  const uint8_t* quants = s + 32;
  const float d = ReadF16(s + 108);
  for (int i = 0; i < 256; ++i) {
    const int low = (quants[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2)) & 3;
    const int high = (s[i % 32] >> (i / 32)) & 1;
    const int q = low - (high == 0 ? 4 : 0);
    y[i] =
        d * static_cast<float>(Q3Scale(s + 96, i / 16)) * static_cast<float>(q);
  }
}

struct ScaleAndMinimum {
  float scale;
  float minimum;
};

// Eight scales and eight minima of six bits in 12 bytes: the last four have
// their low nibbles in bytes 8 .. 11 and their upper two bits atop the first
// four.
ScaleAndMinimum Q4Scale(const uint8_t* scales, ptrdiff_t i) {
  if (i < 4) {
    return {static_cast<float>(scales[i] & 63),
            static_cast<float>(scales[i + 4] & 63)};
  }
  return {
      static_cast<float>((scales[i + 4] & 15) | ((scales[i - 4] >> 2) & 0x30)),
      static_cast<float>((scales[i + 4] >> 4) | ((scales[i] >> 2) & 0x30))};
}

// d, dmin, scales, 128 bytes of nibbles: every 32 bytes hold two runs of 32
// elements.
void Q4_K(const uint8_t* s, float* y) {
  const float d = ReadF16(s);
  const float dmin = ReadF16(s + 2);
  for (ptrdiff_t run = 0; run < 8; ++run) {
    const ScaleAndMinimum sm = Q4Scale(s + 4, run);
    const float scale = d * sm.scale;
    const float minimum = dmin * sm.minimum;
    const uint8_t* quants = s + 16 + run / 2 * 32;
    for (int i = 0; i < 32; ++i) {
      const int q = (quants[i] >> (run % 2 * 4)) & 15;
      y[run * 32 + i] = scale * static_cast<float>(q) - minimum;
    }
  }
}

// d, dmin, scales, 32 bytes of fifth bits (bit r belongs to run r), 128 bytes
// of nibbles.
void Q5_K(const uint8_t* s, float* y) {
  const float d = ReadF16(s);
  const float dmin = ReadF16(s + 2);
  for (ptrdiff_t run = 0; run < 8; ++run) {
    const ScaleAndMinimum sm = Q4Scale(s + 4, run);
    const float scale = d * sm.scale;
    const float minimum = dmin * sm.minimum;
    const uint8_t* quants = s + 48 + run / 2 * 32;
    for (int i = 0; i < 32; ++i) {
      const int q =
          ((quants[i] >> (run % 2 * 4)) & 15) | ((s[16 + i] >> run) & 1) << 4;
      y[run * 32 + i] = scale * static_cast<float>(q) - minimum;
    }
  }
}

// 128 bytes of nibbles, 64 bytes of upper pairs of bits, 16 scales, d. Every 64
// bytes of nibbles hold two runs of 64.
void Q6_K(const uint8_t* s, float* y) {
  const uint8_t* high_bits = s + 128;
  const uint8_t* scales = s + 192;
  const float d = ReadF16(s + 208);
  for (int i = 0; i < 256; ++i) {
    const int low = (s[i / 128 * 64 + i % 64] >> (i % 128 / 64 * 4)) & 15;
    const int high =
        (high_bits[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2)) & 3;
    const float scale =
        d * static_cast<float>(static_cast<int8_t>(scales[i / 16]));
    y[i] = scale * static_cast<float>((low | high << 4) - 32);
  }
}

template <void (*kGroup)(const uint8_t*, float*)>
void AllGroups(const TensorTypeInfo& info, const uint8_t* source,
               int64_t num_groups, float* y) {
  for (int64_t i = 0; i < num_groups; ++i) {
    kGroup(source + i * info.bytes, y + i * info.elements);
  }
}

using AllGroupsFunction = void (*)(const TensorTypeInfo&, const uint8_t*,
                                   int64_t, float*);

AllGroupsFunction FunctionFor(TensorType type) {
  switch (type) {
    case TensorType::kF32:
      return AllGroups<F32>;
    case TensorType::kF16:
      return AllGroups<F16>;
    case TensorType::kBF16:
      return AllGroups<Bf16>;
    case TensorType::kQ4_0:
      return AllGroups<Q4_0>;
    case TensorType::kQ4_1:
      return AllGroups<Q4_1>;
    case TensorType::kQ5_0:
      return AllGroups<Q5_0>;
    case TensorType::kQ5_1:
      return AllGroups<Q5_1>;
    case TensorType::kQ8_0:
      return AllGroups<Q8_0>;
    case TensorType::kQ2_K:
      return AllGroups<Q2_K>;
    case TensorType::kQ3_K:
      return AllGroups<Q3_K>;
    case TensorType::kQ4_K:
      return AllGroups<Q4_K>;
    case TensorType::kQ5_K:
      return AllGroups<Q5_K>;
    case TensorType::kQ6_K:
      return AllGroups<Q6_K>;
  }
  return nullptr;
}

}  // namespace

void Dequantize(TensorType type, const std::byte* source, int64_t num_elements,
                float* destination) {
  const TensorTypeInfo& info = GetTensorTypeInfo(type);
  QUIRE_CHECK(num_elements % info.elements == 0);
  FunctionFor(type)(info, Bytes(source), num_elements / info.elements,
                    destination);
}

}  // namespace quire
