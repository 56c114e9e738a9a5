#ifndef QUIRE_WORKER_SAMPLER_PHILOX_H_
#define QUIRE_WORKER_SAMPLER_PHILOX_H_

#include <array>
#include <cstdint>

namespace quire {

// Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw,
// "Parallel random numbers: as easy as 1, 2, 3" (SC 2011): a block of four
// random words as a pure function of a counter and a key. There is no state, so
// what is drawn does not depend on what was drawn before.
std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 4> counter,
                                   std::array<uint32_t, 2> key);

// What a number is drawn for. Each purpose has a stream of its own; the values
// are part of what a seed means and never change.
enum class RandomPurpose : uint32_t { kSampleToken = 0 };

// The number in [0, 1) that belongs to a place of a sequence: 53 random bits
// of the block at counter (position, purpose) under the key `seed`.
double UniformAt(uint64_t seed, uint64_t position, RandomPurpose purpose);

}  // namespace quire

#endif  // QUIRE_WORKER_SAMPLER_PHILOX_H_
