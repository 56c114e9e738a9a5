#ifndef QUIRE_TESTS_WORKER_COMM_RANK_VALUES_H_
#define QUIRE_TESTS_WORKER_COMM_RANK_VALUES_H_

#include <cstddef>
#include <random>
#include <vector>

namespace quire {

// What a rank brings to a collective: the same in every run.
inline std::vector<float> ValuesOf(int rank, size_t size) {
  std::mt19937 random(rank + 1);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> result(size);
  for (float& value : result) value = values(random);
  return result;
}

// Of ValuesOf all ranks, from rank 0 upwards.
inline std::vector<float> SumInRankOrder(int num_ranks, size_t size) {
  std::vector<float> sums = ValuesOf(0, size);
  for (int rank = 1; rank < num_ranks; ++rank) {
    const std::vector<float> values = ValuesOf(rank, size);
    for (size_t i = 0; i < size; ++i) sums[i] += values[i];
  }
  return sums;
}

}  // namespace quire

#endif  // QUIRE_TESTS_WORKER_COMM_RANK_VALUES_H_
