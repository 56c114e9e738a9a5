#include "worker/sampler/philox.h"

namespace quire {
namespace {

constexpr uint32_t kMultiplier0 = 0xD2511F53;
constexpr uint32_t kMultiplier1 = 0xCD9E8D57;
constexpr uint32_t kWeyl0 = 0x9E3779B9;  // The golden ratio.
constexpr uint32_t kWeyl1 = 0xBB67AE85;  // sqrt(3) - 1.
constexpr int kRounds = 10;

constexpr uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }
constexpr uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }

}  // namespace

std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 4> counter,
                                   std::array<uint32_t, 2> key) {
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t p0 = uint64_t{kMultiplier0} * counter[0];
    const uint64_t p1 = uint64_t{kMultiplier1} * counter[2];
    counter = {High(p1) ^ counter[1] ^ key[0], Low(p1),
               High(p0) ^ counter[3] ^ key[1], Low(p0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

double UniformAt(uint64_t seed, uint64_t position, RandomPurpose purpose) {
  const std::array<uint32_t, 4> block =
      Philox4x32({Low(position), High(position), static_cast<uint32_t>(purpose),
                  /*unused=*/0},
                 {Low(seed), High(seed)});
  const uint64_t bits = (uint64_t{block[1]} << 32) | block[0];
  return static_cast<double>(bits >> 11) * 0x1.0p-53;
}

}  // namespace quire
