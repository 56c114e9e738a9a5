#ifndef QUIRE_KERNELS_HALF_FLOATS_H_
#define QUIRE_KERNELS_HALF_FLOATS_H_

#include <bit>
#include <cstdint>

namespace quire {

// The two 16-bit floats: IEEE's half (F16) and the upper half of a float
// (BF16).

// Exact.
inline float FloatFromBf16(uint16_t x) {
  return std::bit_cast<float>(static_cast<uint32_t>(x) << 16);
}

// To nearest, ties to even. NaN stays NaN.
inline uint16_t Bf16FromFloat(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  const uint32_t quiet_nan = (bits >> 16) | 0x40;
  return static_cast<uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? quiet_nan
                                                                : rounded);
}

// Exact. Read as a float's, the exponent is 112 too small: one multiplication
// corrects that and normalizes subnormals.
inline float FloatFromF16(uint16_t x) {
  const uint32_t sign = static_cast<uint32_t>(x & 0x8000) << 16;
  const uint32_t magnitude = static_cast<uint32_t>(x & 0x7fff) << 13;
  const uint32_t finite =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112f);
  const uint32_t infinite_or_nan = magnitude | 0x7f800000;
  return std::bit_cast<float>(
      sign | ((x & 0x7c00) == 0x7c00 ? infinite_or_nan : finite));
}

// To nearest, ties to even; too large becomes infinite. NaN stays NaN.
inline uint16_t F16FromFloat(float x) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t sign = (bits >> 16) & 0x8000;
  const uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00);
  if (magnitude >= 0x477ff000) return static_cast<uint16_t>(sign | 0x7c00);
  if (magnitude < 0x38800000) {
    // Subnormal: added to 0.5, it counts in units of 2^-24.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    const uint32_t units = std::bit_cast<uint32_t>(shifted) - 0x3f000000;
    return static_cast<uint16_t>(sign | units);
  }
  const uint32_t rebiased = magnitude - (uint32_t{112} << 23);
  const uint32_t rounded = rebiased + 0xfff + ((rebiased >> 13) & 1);
  return static_cast<uint16_t>(sign | (rounded >> 13));
}

}  // namespace quire

#endif  // QUIRE_KERNELS_HALF_FLOATS_H_
