#include "kernels/cpu/quant_group.h"

#include <cstring>

#include "common/check.h"
#include "kernels/half_floats.h"

// A stored group is called a block in GGML: 32 elements, or 256 with a scale
// for every 16 or 32 of them.

namespace quire {
namespace {

template <typename T>
T Read(const uint8_t* p) {
  T value;
  std::memcpy(&value, p, sizeof(value));
  return value;
}

float ReadF16(const uint8_t* p) { return FloatFromF16(Read<uint16_t>(p)); }

void SetScale(float scale, float minimum, QuantGroup& group) {
  group.scales[0] = group.scales[1] = scale;
  group.minima[0] = group.minima[1] = minimum;
}

// 16 bytes: low nibbles are the first half.
void ReadNibbles(const uint8_t* s, QuantGroup& group) {
  for (int i = 0; i < 16; ++i) {
    group.quants[i] = s[i] & 15;
    group.quants[i + 16] = s[i] >> 4;
  }
}

// The fifth bits of 32 quants are one word; element i's is bit i.
void AddFifthBits(uint32_t bits, QuantGroup& group) {
  for (int i = 0; i < 32; ++i) {
    group.quants[i] |= static_cast<uint8_t>(((bits >> i) & 1) << 4);
  }
}

// d, 16 bytes.
void Q4_0(const uint8_t* s, QuantGroup& group) {
  SetScale(ReadF16(s), 0, group);
  ReadNibbles(s + 2, group);
}

// d, m, 16 bytes.
void Q4_1(const uint8_t* s, QuantGroup& group) {
  SetScale(ReadF16(s), ReadF16(s + 2), group);
  ReadNibbles(s + 4, group);
}

// d, fifth bits, 16 bytes.
void Q5_0(const uint8_t* s, QuantGroup& group) {
  SetScale(ReadF16(s), 0, group);
  ReadNibbles(s + 6, group);
  AddFifthBits(Read<uint32_t>(s + 2), group);
}

// d, m, fifth bits, 16 bytes.
void Q5_1(const uint8_t* s, QuantGroup& group) {
  SetScale(ReadF16(s), ReadF16(s + 2), group);
  ReadNibbles(s + 8, group);
  AddFifthBits(Read<uint32_t>(s + 4), group);
}

// d, 32 signed bytes.
void Q8_0(const uint8_t* s, QuantGroup& group) {
  SetScale(ReadF16(s), 0, group);
  for (int i = 0; i < 32; ++i) group.quants[i] = s[2 + i] ^ 0x80;
}

// A pair of bits for each of 256 elements: every 32 bytes hold four runs of 32.
uint8_t PairOfBits(const uint8_t* s, int64_t run, int i) {
  return (s[run / 4 * 32 + i] >> (run % 4 * 2)) & 3;
}

// 16 bytes of (scale, minimum) nibbles, 64 bytes of two-bit quants, d, dmin.
void Q2_K(const uint8_t* s, int64_t run, QuantGroup& group) {
  const float d = ReadF16(s + 80);
  const float dmin = ReadF16(s + 82);
  for (int half = 0; half < 2; ++half) {
    const uint8_t scale = s[run * 2 + half];
    group.scales[half] = d * static_cast<float>(scale & 15);
    group.minima[half] = -(dmin * static_cast<float>(scale >> 4));
  }
  for (int i = 0; i < 32; ++i) group.quants[i] = PairOfBits(s + 16, run, i);
}

// Sixteen scales of six bits in 12 bytes: low nibbles in the first eight, upper
// pairs of bits in the last four.
float Q3Scale(const uint8_t* scales, int64_t i) {
  const int low = (scales[i % 8] >> (i / 8 * 4)) & 15;
  const int high = (scales[8 + i % 4] >> (i / 4 * 2)) & 3;
  return static_cast<float>((low | high << 4) - 32);
}

// 32 bytes of third bits (bit r belongs to run r), 64 bytes of two-bit quants,
// scales, d.
void Q3_K(const uint8_t* s, int64_t run, QuantGroup& group) {
  const float d = ReadF16(s + 108);
  for (int half = 0; half < 2; ++half) {
    group.scales[half] = d * Q3Scale(s + 96, run * 2 + half);
    group.minima[half] = 0;
  }
  for (int i = 0; i < 32; ++i) {
    group.quants[i] = static_cast<uint8_t>(PairOfBits(s + 32, run, i) |
                                           ((s[i] >> run) & 1) << 2);
  }
}

// Eight scales and eight minima of six bits in 12 bytes: the last four have
// their low nibbles in bytes 8 .. 11 and their upper two bits atop the first
// four.
void ReadSixBitScales(const uint8_t* scales, int64_t i, float d, float dmin,
                      QuantGroup& group) {
  int scale = scales[i] & 63;
  int minimum = scales[i + 4] & 63;
  if (i >= 4) {
    scale = (scales[i + 4] & 15) | ((scales[i - 4] >> 2) & 0x30);
    minimum = (scales[i + 4] >> 4) | ((scales[i] >> 2) & 0x30);
  }
  SetScale(d * static_cast<float>(scale), -(dmin * static_cast<float>(minimum)),
           group);
}

// Every 32 bytes of nibbles hold two runs of 32.
void ReadRunOfNibbles(const uint8_t* s, int64_t run, QuantGroup& group) {
  for (int i = 0; i < 32; ++i) {
    group.quants[i] = (s[run / 2 * 32 + i] >> (run % 2 * 4)) & 15;
  }
}

// d, dmin, scales, 128 bytes of nibbles.
void Q4_K(const uint8_t* s, int64_t run, QuantGroup& group) {
  ReadSixBitScales(s + 4, run, ReadF16(s), ReadF16(s + 2), group);
  ReadRunOfNibbles(s + 16, run, group);
}

// d, dmin, scales, 32 bytes of fifth bits (bit r belongs to run r), 128 bytes
// of nibbles.
void Q5_K(const uint8_t* s, int64_t run, QuantGroup& group) {
  ReadSixBitScales(s + 4, run, ReadF16(s), ReadF16(s + 2), group);
  ReadRunOfNibbles(s + 48, run, group);
  for (int i = 0; i < 32; ++i) {
    group.quants[i] |= static_cast<uint8_t>(((s[16 + i] >> run) & 1) << 4);
  }
}

// 128 bytes of nibbles, 64 bytes of upper pairs of bits, 16 scales, d. Every 64
// bytes of nibbles hold two runs of 64.
void Q6_K(const uint8_t* s, int64_t run, QuantGroup& group) {
  const float d = ReadF16(s + 208);
  for (int half = 0; half < 2; ++half) {
    const auto scale = static_cast<int8_t>(s[192 + run * 2 + half]);
    group.scales[half] = d * static_cast<float>(scale);
    group.minima[half] = 0;
  }
  const uint8_t* nibbles = s + run / 4 * 64 + run % 2 * 32;
  for (int i = 0; i < 32; ++i) {
    const int low = (nibbles[i] >> (run % 4 / 2 * 4)) & 15;
    group.quants[i] =
        static_cast<uint8_t>(low | PairOfBits(s + 128, run, i) << 4);
  }
}

}  // namespace

QuantType GetQuantType(TensorType type) {
  switch (type) {
    case TensorType::kQ4_0:
      return {.zero = 8};
    case TensorType::kQ5_0:
      return {.zero = 16};
    case TensorType::kQ8_0:
      return {.zero = 128};
    case TensorType::kQ3_K:
      return {.zero = 4};
    case TensorType::kQ6_K:
      return {.zero = 32};
    default:
      return {.minima = true};
  }
}

void ReadQuantGroup(TensorType type, const std::byte* row, int64_t index,
                    QuantGroup& group) {
  const TensorTypeInfo& info = GetTensorTypeInfo(type);
  const int64_t runs = info.elements / 32;
  const uint8_t* stored =
      reinterpret_cast<const uint8_t*>(row) + index / runs * info.bytes;
  switch (type) {
    case TensorType::kQ4_0:
      return Q4_0(stored, group);
    case TensorType::kQ4_1:
      return Q4_1(stored, group);
    case TensorType::kQ5_0:
      return Q5_0(stored, group);
    case TensorType::kQ5_1:
      return Q5_1(stored, group);
    case TensorType::kQ8_0:
      return Q8_0(stored, group);
    case TensorType::kQ2_K:
      return Q2_K(stored, index % runs, group);
    case TensorType::kQ3_K:
      return Q3_K(stored, index % runs, group);
    case TensorType::kQ4_K:
      return Q4_K(stored, index % runs, group);
    case TensorType::kQ5_K:
      return Q5_K(stored, index % runs, group);
    case TensorType::kQ6_K:
      return Q6_K(stored, index % runs, group);
    default:
      QUIRE_CHECK(false);
  }
}

}  // namespace quire
