#ifndef QUIRE_KERNELS_MATRIX_FORMAT_H_
#define QUIRE_KERNELS_MATRIX_FORMAT_H_

#include <bit>
#include <cstdint>

#include "common/modelfile/tensor.h"

namespace quire {

// How the weights of a matrix are held for products, and what activations
// become when they are multiplied with them.
//
//   kF32   everything in float32;
//   kBf16  weights rounded to bf16; activations too, where the machine
//          multiplies pairs of bf16;
//   kQ2 .. kQ8  byte formats: integers of so many bits with scales, as GGML's
//          quantized types store them (FastFormatOf says which). In lanes,
//          activations are rounded to int8, with a scale for 32 inputs. In
//          tiles, weights and activations become bf16: weights below 2^-18
//          count as zeros, activations from 2^20 on as infinite.
enum class MatrixFormat {
  kF32,
  kBf16,
  kQ2,
  kQ3,
  kQ4,
  kQ4Symmetric,
  kQ5,
  kQ6,
  kQ8
};

// Outputs come in strips, the unit in which threads share a product, and inputs
// in groups; both are filled up with zeros.
inline constexpr int64_t kStripOutputs = 32;
inline constexpr int64_t kInputGroup = 32;
// The outputs that a register has in byte formats.
inline constexpr int64_t kBlockOutputs = 16;

// What the byte formats differ in:
//
//   weight = scale * (quant - zero) + minimum, quant being unsigned.
//
// A group of a strip is, for each of its two blocks of 16 outputs, a header and
// the planes: bits of all quants. A plane of n bits is n lines of 64 bytes, and
// bytes 4 o .. 4 o + 3 of a line hold four consecutive inputs (a dword) of
// output o. A format has of these planes, in this order, what adds up to its
// bits:
//
//   8 bits   line k holds dword k;
//   4 bits   line l holds dword l in its low nibbles and dword l + 4 in its
//            high ones; with halves (see below) it holds 2 l and 2 l + 1;
//   2 bits   line l holds dwords 4 l .. 4 l + 3, the first in the lowest bits;
//   1 bit    bit k of the line holds dword k.
//
// A header is 16 scales in half precision, or 16 for each half of the group,
// then as many minima in formats that have them. It precedes its planes; where
// it is half a line, those of both blocks precede the planes of both.
struct ByteFormat {
  int bits;
  bool halves = false;  // Inputs 0 .. 15 and 16 .. 31 have scales of their own.
  bool minima = false;
  int zero = 0;

  constexpr int num_scales() const { return halves ? 2 : 1; }
  constexpr int num_planes() const {
    return std::popcount(static_cast<unsigned>(bits));
  }
  constexpr int64_t header_bytes() const {
    return 32 * num_scales() * (minima ? 2 : 1);
  }
  constexpr int64_t planes_bytes() const { return 64 * bits; }
  constexpr int64_t group_bytes() const {
    return 2 * (header_bytes() + planes_bytes());
  }
  // Where a block's are in the group.
  constexpr int64_t header_offset(int64_t block) const {
    return block * (header_bytes() == 32 ? 32 : group_bytes() / 2);
  }
  constexpr int64_t planes_offset(int64_t block) const {
    return header_bytes() == 32 ? 64 + block * planes_bytes()
                                : header_offset(block) + header_bytes();
  }
};

inline constexpr ByteFormat kQ2Bytes{.bits = 2, .halves = true, .minima = true};
inline constexpr ByteFormat kQ3Bytes{.bits = 3, .halves = true, .zero = 4};
inline constexpr ByteFormat kQ4Bytes{.bits = 4, .minima = true};
inline constexpr ByteFormat kQ4SymmetricBytes{.bits = 4, .zero = 8};
inline constexpr ByteFormat kQ5Bytes{.bits = 5, .minima = true};
inline constexpr ByteFormat kQ6Bytes{.bits = 6, .halves = true, .zero = 32};
inline constexpr ByteFormat kQ8Bytes{.bits = 8, .zero = 128};

constexpr bool IsByteFormat(MatrixFormat format) {
  return format != MatrixFormat::kF32 && format != MatrixFormat::kBf16;
}

// REQUIRES: IsByteFormat(format).
constexpr ByteFormat ByteFormatOf(MatrixFormat format) {
  switch (format) {
    case MatrixFormat::kQ2:
      return kQ2Bytes;
    case MatrixFormat::kQ3:
      return kQ3Bytes;
    case MatrixFormat::kQ4Symmetric:
      return kQ4SymmetricBytes;
    case MatrixFormat::kQ5:
      return kQ5Bytes;
    case MatrixFormat::kQ6:
      return kQ6Bytes;
    case MatrixFormat::kQ8:
      return kQ8Bytes;
    default:
      return kQ4Bytes;
  }
}

// The format that reads the fewest bytes without losing anything but the last
// bits of a scale.
constexpr MatrixFormat FastFormatOf(TensorType type) {
  switch (type) {
    case TensorType::kF32:
    case TensorType::kF16:
    case TensorType::kBF16:
      return MatrixFormat::kBf16;
    case TensorType::kQ2_K:
      return MatrixFormat::kQ2;
    case TensorType::kQ3_K:
      return MatrixFormat::kQ3;
    case TensorType::kQ4_0:
      return MatrixFormat::kQ4Symmetric;
    case TensorType::kQ4_1:
    case TensorType::kQ4_K:
      return MatrixFormat::kQ4;
    case TensorType::kQ5_0:
    case TensorType::kQ5_1:
    case TensorType::kQ5_K:
      return MatrixFormat::kQ5;
    case TensorType::kQ6_K:
      return MatrixFormat::kQ6;
    case TensorType::kQ8_0:
      return MatrixFormat::kQ8;
  }
  return MatrixFormat::kBf16;
}

}  // namespace quire

#endif  // QUIRE_KERNELS_MATRIX_FORMAT_H_
