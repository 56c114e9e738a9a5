#include "kernels/packed_matrix.h"

#include <cstring>
#include <vector>

#include "common/check.h"
#include "kernels/dequantize.h"
#include "kernels/half_floats.h"

namespace quire {
namespace {

int64_t ElementBytes(MatrixFormat format) {
  return format == MatrixFormat::kF32 ? sizeof(float) : sizeof(uint16_t);
}

// Output `row` of the parts as float, [num_inputs].
void ReadRow(std::span<const TensorView* const> parts, int64_t row,
             float* values) {
  for (const TensorView* part : parts) {
    if (row < part->shape[0]) {
      const int64_t num_inputs = part->shape[1];
      const TensorTypeInfo& info = GetTensorTypeInfo(part->type);
      const int64_t row_bytes = num_inputs / info.elements * info.bytes;
      Dequantize(part->type, part->data.data() + row * row_bytes, num_inputs,
                 values);
      return;
    }
    row -= part->shape[0];
  }
  QUIRE_CHECK(false);
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

}  // namespace

int64_t PackedMatrix::strip_bytes() const {
  return num_groups() * kInputGroup * kStripOutputs * ElementBytes(format);
}

void PackStrips(std::span<const TensorView* const> parts,
                const PackedMatrix& packed, int64_t first_strip,
                int64_t last_strip) {
  const int64_t width = packed.num_groups() * kInputGroup;
  std::vector<float> rows(kStripOutputs * width);
  for (int64_t strip = first_strip; strip < last_strip; ++strip) {
    std::memset(rows.data(), 0, rows.size() * sizeof(float));
    for (int64_t o = 0; o < kStripOutputs; ++o) {
      const int64_t output = strip * kStripOutputs + o;
      if (output < packed.num_outputs) ReadRow(parts, output, &rows[o * width]);
    }
    std::byte* destination = packed.data + strip * packed.strip_bytes();
    if (packed.format == MatrixFormat::kF32) {
      InterleaveF32(rows.data(), width, destination);
    } else {
      InterleaveBf16(rows.data(), width, destination);
    }
  }
}

}  // namespace quire
