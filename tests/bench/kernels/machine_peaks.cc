#include "tests/bench/kernels/machine_peaks.h"

#include <immintrin.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "common/check.h"
#include "kernels/instruction_set.h"
#include "tests/bench/kernels/bench_clock.h"
#include "worker/weights/mapped_memory.h"

namespace quire {
namespace {

// Enough that all threads have found processors in some.
constexpr int kWindows = 40;
constexpr int64_t kRounds = 200'000;
// Chains of sums, enough to hide the latency of one. The loops over them must
// vanish, so that they stay in registers.
constexpr int kSums = 24;

// Shortest duration of `work`.
template <typename Work>
double BestSeconds(const Work& work) {
  double best = 1e9;
  for (int i = 0; i < kWindows; ++i) {
    const double start = SecondsNow();
    work();
    best = std::min(best, SecondsNow() - start);
  }
  return best;
}

// Keeps the compiler from dropping a result.
void Use(float x) { asm volatile("" : : "x"(x)); }

__attribute__((target("avx512f"))) void ReadAvx512(const std::byte* p,
                                                   int64_t bytes) {
  __m512i sum = _mm512_setzero_si512();
  for (int64_t i = 0; i < bytes; i += 64) {
    _mm_prefetch(reinterpret_cast<const char*>(p + i + 4096), _MM_HINT_T0);
    sum = _mm512_xor_si512(sum, _mm512_load_si512(p + i));
  }
  Use(static_cast<float>(_mm512_reduce_add_epi32(sum)));
}

void ReadWords(const std::byte* p, int64_t bytes) {
  uint64_t sums[8] = {};
  for (int64_t i = 0; i < bytes; i += 64) {
    for (int j = 0; j < 8; ++j)
      sums[j] ^= reinterpret_cast<const uint64_t*>(p + i)[j];
  }
  for (uint64_t sum : sums) Use(static_cast<float>(sum));
}

__attribute__((target("avx512f,avx512bf16"))) void ProductsBf16() {
  __m512 sums[kSums];
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  __m512i pairs = _mm512_set1_epi32(0x3f803f80);
  for (int64_t i = 0; i < kRounds; ++i) {
    asm volatile("" : "+v"(pairs));
#pragma GCC unroll 24
    for (__m512& sum : sums)
      sum = _mm512_dpbf16_ps(sum, (__m512bh)pairs, (__m512bh)pairs);
  }
  for (const __m512& sum : sums) Use(_mm512_cvtss_f32(sum));
}

__attribute__((target("avx512f,avx512vnni"))) void ProductsInt8() {
  // Not __m512i: g++ 12 would copy and store every sum. From different starts:
  // it would compute equal ones once.
  using Sum = int __attribute__((vector_size(64)));
  Sum sums[kSums];
  int start = 0;
  for (Sum& sum : sums) sum = Sum{} + start++;
  __m512i bytes = _mm512_set1_epi8(1);
  for (int64_t i = 0; i < kRounds; ++i) {
    asm volatile("" : "+v"(bytes));
#pragma GCC unroll 24
    for (Sum& sum : sums)
      sum = (Sum)_mm512_dpbusd_epi32((__m512i)sum, bytes, bytes);
  }
  for (const Sum& sum : sums) Use(static_cast<float>(sum[0]));
}

__attribute__((target("avx512f"))) void ProductsAvx512() {
  __m512 sums[kSums];
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  __m512 x = _mm512_set1_ps(0.5f);
  for (int64_t i = 0; i < kRounds; ++i) {
    asm volatile("" : "+v"(x));
#pragma GCC unroll 24
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(x, x, sum);
  }
  for (const __m512& sum : sums) Use(_mm512_cvtss_f32(sum));
}

__attribute__((target("avx2,fma"))) void ProductsAvx2() {
  __m256 sums[12];
  for (__m256& sum : sums) sum = _mm256_setzero_ps();
  __m256 x = _mm256_set1_ps(0.5f);
  for (int64_t i = 0; i < kRounds; ++i) {
    asm volatile("" : "+x"(x));
#pragma GCC unroll 24
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(x, x, sum);
  }
  for (const __m256& sum : sums) Use(_mm256_cvtss_f32(sum));
}

// Sums of 16 x 16 in registers 0 to 5, enough to hide the latency of one.
constexpr int kTileSums = 6;

struct alignas(64) TileShapes {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t line_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

__attribute__((target("amx-tile"))) void BeginTiles() {
  static constexpr TileShapes kShapes;
  _tile_loadconfig(&kShapes);
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
  _tile_zero(4);
  _tile_zero(5);
  _tile_zero(6);
  _tile_zero(7);
}

__attribute__((target("amx-tile,amx-bf16"))) void ProductsAmxBf16() {
  BeginTiles();
  for (int64_t i = 0; i < kRounds; ++i) {
    _tile_dpbf16ps(0, 6, 7);
    _tile_dpbf16ps(1, 6, 7);
    _tile_dpbf16ps(2, 6, 7);
    _tile_dpbf16ps(3, 6, 7);
    _tile_dpbf16ps(4, 6, 7);
    _tile_dpbf16ps(5, 6, 7);
  }
  _tile_release();
}

double ReadBandwidth(ThreadPool* pool, int64_t num_bytes) {
  auto memory = MappedMemory::Allocate(num_bytes + 8192, "a benchmark");
  QUIRE_CHECK(memory.ok());
  std::fill_n(memory->data(), num_bytes, std::byte{1});
  double best = 1e9;
  for (int i = 0; i < kWindows; ++i) {
    best = std::min(best, LinearReadSeconds(pool, memory->data(), num_bytes));
  }
  return static_cast<double>(num_bytes) / best * 1e-9;
}

double Gigaflops(ThreadPool* pool, void (*products)(), double operations) {
  const double seconds =
      BestSeconds([&] { pool->Run([&](int) { products(); }); });
  return pool->num_threads() * kRounds * operations / seconds * 1e-9;
}

}  // namespace

double LinearReadSeconds(ThreadPool* pool, const std::byte* data,
                         int64_t num_bytes) {
  const bool wide = IsSupported(InstructionSet::kAvx512);
  const double start = SecondsNow();
  pool->ParallelFor(num_bytes / 64, [&](int64_t begin, int64_t end) {
    (wide ? ReadAvx512 : ReadWords)(data + begin * 64, (end - begin) * 64);
  });
  return SecondsNow() - start;
}

MachinePeaks MeasureMachinePeaks(ThreadPool* pool, int64_t cold_bytes) {
  MachinePeaks peaks;
  peaks.read_gigabytes_per_second = ReadBandwidth(pool, cold_bytes);
  if (IsSupported(InstructionSet::kAvx512)) {
    peaks.bf16_gigaflops = Gigaflops(pool, ProductsBf16, kSums * 64);
    peaks.f32_gigaflops = Gigaflops(pool, ProductsAvx512, kSums * 32);
    peaks.int8_gigaops = Gigaflops(pool, ProductsInt8, kSums * 128);
  } else if (IsSupported(InstructionSet::kAvx2)) {
    peaks.f32_gigaflops = Gigaflops(pool, ProductsAvx2, 12 * 16);
  }
  if (IsSupported(InstructionSet::kAmx)) {
    constexpr double kProducts = kTileSums * 16.0 * 16.0;
    peaks.amx_bf16_gigaflops =
        Gigaflops(pool, ProductsAmxBf16, kProducts * 32 * 2);
  }
  return peaks;
}

nlohmann::ordered_json Describe(const MachinePeaks& peaks) {
  nlohmann::ordered_json described = {
      {"read_gigabytes_per_second", peaks.read_gigabytes_per_second},
      {"f32_gigaflops", peaks.f32_gigaflops}};
  const auto add = [&](const char* name, double peak) {
    if (peak > 0) described[name] = peak;
  };
  add("bf16_gigaflops", peaks.bf16_gigaflops);
  add("int8_gigaops", peaks.int8_gigaops);
  add("amx_bf16_gigaflops", peaks.amx_bf16_gigaflops);
  return described;
}

}  // namespace quire
