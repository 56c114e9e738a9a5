#include "kernels/packed_matrix.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "common/check.h"
#include "kernels/dequantize.h"
#include "kernels/half_floats.h"

namespace quire {
namespace {

// A block of 16 outputs in a group of kQ4: scales and minima, nibbles.
constexpr int64_t kQ4BlockOutputs = 16;
constexpr int64_t kQ4BlockBytes = 320;

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

// Scale, minimum and nibbles of one output's group go to their places in a
// block. Q4_0 counts from minus eight scales, which half precision holds
// exactly for scales below 8,192.
void PackQ4Group(TensorType type, const std::byte* stored, int64_t output,
                 std::byte* block) {
  const bool has_minimum = type == TensorType::kQ4_1;
  uint16_t scale;
  std::memcpy(&scale, stored, sizeof(scale));
  uint16_t minimum = F16FromFloat(FloatFromF16(scale) * -8);
  if (has_minimum) std::memcpy(&minimum, stored + 2, sizeof(minimum));
  std::memcpy(block + 2 * output, &scale, sizeof(scale));
  std::memcpy(block + 32 + 2 * output, &minimum, sizeof(minimum));
  const std::byte* nibbles = stored + (has_minimum ? 4 : 2);
  for (int64_t line = 0; line < 4; ++line) {
    std::memcpy(block + 64 * (1 + line) + 4 * output, nibbles + 4 * line, 4);
  }
}

void PackQ4(std::span<const TensorView* const> parts,
            const PackedMatrix& packed, int64_t first_input,
            int64_t first_output, std::byte* strip) {
  std::memset(strip, 0, packed.strip_bytes());
  for (int64_t o = 0;
       o < kStripOutputs && first_output + o < packed.num_outputs; ++o) {
    const StoredRow row =
        FindRow(parts, first_output + o, first_input, packed.num_inputs);
    const int64_t stored_bytes = GetTensorTypeInfo(row.type).bytes;
    std::byte* block = strip + o / kQ4BlockOutputs * kQ4BlockBytes;
    for (int64_t group = 0; group < packed.num_groups(); ++group) {
      PackQ4Group(row.type, row.data + group * stored_bytes,
                  o % kQ4BlockOutputs, block);
      block += kStripOutputs / kQ4BlockOutputs * kQ4BlockBytes;
    }
  }
}

// Of one group of a strip.
int64_t GroupBytes(MatrixFormat format) {
  switch (format) {
    case MatrixFormat::kF32:
      return kInputGroup * kStripOutputs * int64_t{sizeof(float)};
    case MatrixFormat::kBf16:
      return kInputGroup * kStripOutputs * int64_t{sizeof(uint16_t)};
    case MatrixFormat::kQ4:
      return kStripOutputs / kQ4BlockOutputs * kQ4BlockBytes;
  }
  return 0;
}

}  // namespace

int64_t PackedMatrix::strip_bytes() const {
  return num_groups() * GroupBytes(format);
}

void PackStrips(std::span<const TensorView* const> parts,
                const PackedMatrix& packed, int64_t first_strip,
                int64_t last_strip, int64_t first_input) {
  std::vector<float> rows;
  for (int64_t strip = first_strip; strip < last_strip; ++strip) {
    std::byte* destination = packed.data + strip * packed.strip_bytes();
    if (packed.format == MatrixFormat::kQ4) {
      PackQ4(parts, packed, first_input, strip * kStripOutputs, destination);
    } else {
      PackFloats(parts, packed, first_input, strip * kStripOutputs, rows,
                 destination);
    }
  }
}

}  // namespace quire
