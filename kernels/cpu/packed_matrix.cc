#include "kernels/packed_matrix.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "common/check.h"
#include "kernels/cpu/quant_group.h"
#include "kernels/dequantize.h"
#include "kernels/half_floats.h"

namespace quire {
namespace {

// The part of a stored row that is packed, in whole groups of its type.
struct StoredRow {
  TensorType type;
  int64_t num_inputs;
  int64_t num_skipped;  // Inputs of the first group that are not packed.
  const std::byte* data;
};

// Inputs [first_input, first_input + num_inputs) of output `row` of the parts.
StoredRow FindRow(std::span<const TensorView* const> parts, int64_t row,
                  int64_t first_input, int64_t num_inputs) {
  for (const TensorView* part : parts) {
    if (row < part->shape[0]) {
      const TensorTypeInfo& info = GetTensorTypeInfo(part->type);
      const int64_t row_bytes = part->shape[1] / info.elements * info.bytes;
      const int64_t first = first_input / info.elements;
      const int64_t last =
          (first_input + num_inputs + info.elements - 1) / info.elements;
      return {part->type, (last - first) * info.elements,
              first_input - first * info.elements,
              part->data.data() + row * row_bytes + first * info.bytes};
    }
    row -= part->shape[0];
  }
  QUIRE_CHECK(false);
  return {};
}

// rows: [32 outputs, width]; strip: [width, 32 outputs].
void InterleaveF32(const float* rows, int64_t width, std::byte* strip) {
  float* out = reinterpret_cast<float*>(strip);
  for (int64_t k = 0; k < width; ++k) {
    for (int64_t o = 0; o < kStripOutputs; ++o) *out++ = rows[o * width + k];
  }
}

// rows: [32 outputs, width]; strip: [width / 2, 32 outputs, 2].
void InterleaveBf16(const float* rows, int64_t width, std::byte* strip) {
  uint16_t* out = reinterpret_cast<uint16_t*>(strip);
  for (int64_t k = 0; k < width; k += 2) {
    for (int64_t o = 0; o < kStripOutputs; ++o) {
      *out++ = Bf16FromFloat(rows[o * width + k]);
      *out++ = Bf16FromFloat(rows[o * width + k + 1]);
    }
  }
}

// One strip of kF32 or kBf16. `rows` is scratch.
void PackFloats(std::span<const TensorView* const> parts,
                const PackedMatrix& packed, int64_t first_input,
                int64_t first_output, std::vector<float>& rows,
                std::byte* strip) {
  const int64_t width = packed.num_groups() * kInputGroup;
  rows.assign(kStripOutputs * width, 0);
  std::vector<float> stored;
  for (int64_t o = 0;
       o < kStripOutputs && first_output + o < packed.num_outputs; ++o) {
    const StoredRow row =
        FindRow(parts, first_output + o, first_input, packed.num_inputs);
    stored.resize(row.num_inputs);
    Dequantize(row.type, row.data, row.num_inputs, stored.data());
    std::copy_n(stored.data() + row.num_skipped, packed.num_inputs,
                &rows[o * width]);
  }
  if (packed.format == MatrixFormat::kF32) {
    InterleaveF32(rows.data(), width, strip);
  } else {
    InterleaveBf16(rows.data(), width, strip);
  }
}

void StoreHalf(float value, std::byte* destination) {
  const uint16_t half = F16FromFloat(value);
  std::memcpy(destination, &half, sizeof(half));
}

// Writes the scales of an output and its minima, in which the type's zero is
// contained where the format has none. Rounding to half precision loses at most
// 2^-11 of a scale of the K types, far less than rounding weights to quants
// did; the other types' scales are halves as they are. False: a weight is not a
// number or beyond kMaxQuantizedWeight.
bool PackHeader(const ByteFormat& format, const QuantType& type,
                const QuantGroup& quants, std::byte* header) {
  const int n = format.num_scales();
  const auto largest_quant = static_cast<float>((1 << format.bits) - 1);
  bool is_valid = true;
  for (int i = 0; i < n; ++i) {
    const float scale = quants.scales[i];
    const float minimum =
        quants.minima[i] - scale * static_cast<float>(type.zero);
    StoreHalf(scale, header + ptrdiff_t{32} * i);
    if (format.minima) StoreHalf(minimum, header + ptrdiff_t{32} * (n + i));
    // Written so that a comparison with what is not a number fails.
    is_valid &=
        std::abs(minimum) <= kMaxQuantizedWeight &&
        std::abs(scale * largest_quant + minimum) <= kMaxQuantizedWeight;
  }
  return is_valid;
}

// Shifts four quants' lowest bits, those in `mask`, to their place in a plane
// that was zero.
void AddToPlane(uint32_t dword, uint32_t mask, int64_t shift,
                std::byte* place) {
  uint32_t plane;
  std::memcpy(&plane, place, sizeof(plane));
  plane |= (dword & (mask * 0x01010101u)) << shift;
  std::memcpy(place, &plane, sizeof(plane));
}

// Four quants of an output, `k` counts them in the group. The binary digits of
// format.bits are the planes that the format has.
void PackDword(const ByteFormat& format, uint32_t dword, int64_t k,
               std::byte* planes) {
  if ((format.bits & 8) != 0) {
    AddToPlane(dword, 0xff, 0, planes + 64 * k);
    return;
  }
  if ((format.bits & 4) != 0) {
    const int64_t line = format.halves ? k / 2 : k % 4;
    const int64_t nibble = format.halves ? k % 2 : k / 4;
    AddToPlane(dword, 15, 4 * nibble, planes + 64 * line);
    dword >>= 4;
    planes += 4 * 64;
  }
  if ((format.bits & 2) != 0) {
    AddToPlane(dword, 3, k % 4 * 2, planes + k / 4 * 64);
    dword >>= 2;
    planes += 2 * 64;
  }
  if ((format.bits & 1) != 0) AddToPlane(dword, 1, k, planes);
}

bool PackByteGroup(const ByteFormat& format, const QuantType& type,
                   const QuantGroup& quants, int64_t output, std::byte* group) {
  const int64_t block = output / kBlockOutputs;
  const int64_t place = output % kBlockOutputs;
  const bool is_valid = PackHeader(
      format, type, quants, group + format.header_offset(block) + 2 * place);
  std::byte* planes = group + format.planes_offset(block) + 4 * place;
  for (int64_t k = 0; k < kInputGroup / 4; ++k) {
    uint32_t dword;
    std::memcpy(&dword, quants.quants + 4 * k, sizeof(dword));
    PackDword(format, dword, k, planes);
  }
  return is_valid;
}

// One strip of a byte format.
bool PackBytes(std::span<const TensorView* const> parts,
               const PackedMatrix& packed, int64_t first_input,
               int64_t first_output, std::byte* strip) {
  QUIRE_CHECK(first_input % kInputGroup == 0);
  const ByteFormat format = ByteFormatOf(packed.format);
  std::memset(strip, 0, packed.strip_bytes());
  QuantGroup quants;
  bool is_valid = true;
  for (int64_t o = 0;
       o < kStripOutputs && first_output + o < packed.num_outputs; ++o) {
    const StoredRow row =
        FindRow(parts, first_output + o, first_input, packed.num_inputs);
    QUIRE_CHECK(FastFormatOf(row.type) == packed.format);
    const QuantType type = GetQuantType(row.type);
    const int64_t first_group = row.num_skipped / kInputGroup;
    for (int64_t group = 0; group < packed.num_groups(); ++group) {
      ReadQuantGroup(row.type, row.data, first_group + group, quants);
      is_valid &= PackByteGroup(format, type, quants, o,
                                strip + group * format.group_bytes());
    }
  }
  return is_valid;
}

// Of one group of a strip.
int64_t GroupBytes(MatrixFormat format) {
  switch (format) {
    case MatrixFormat::kF32:
      return kInputGroup * kStripOutputs * int64_t{sizeof(float)};
    case MatrixFormat::kBf16:
      return kInputGroup * kStripOutputs * int64_t{sizeof(uint16_t)};
    default:
      return ByteFormatOf(format).group_bytes();
  }
}

}  // namespace

int64_t PackedMatrix::strip_bytes() const {
  return num_groups() * GroupBytes(format);
}

bool PackStrips(std::span<const TensorView* const> parts,
                const PackedMatrix& packed, int64_t first_strip,
                int64_t last_strip, int64_t first_input) {
  std::vector<float> rows;
  bool is_valid = true;
  for (int64_t strip = first_strip; strip < last_strip; ++strip) {
    std::byte* destination = packed.data + strip * packed.strip_bytes();
    if (IsByteFormat(packed.format)) {
      is_valid &= PackBytes(parts, packed, first_input, strip * kStripOutputs,
                            destination);
    } else {
      PackFloats(parts, packed, first_input, strip * kStripOutputs, rows,
                 destination);
    }
  }
  return is_valid;
}

}  // namespace quire
