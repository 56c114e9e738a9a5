#ifndef QUIRE_TESTS_BENCH_STEP_ANATOMY_ANATOMY_LOADS_H_
#define QUIRE_TESTS_BENCH_STEP_ANATOMY_ANATOMY_LOADS_H_

#include <cstdint>
#include <random>

#include "quire/v1/quire.grpc.pb.h"
#include "tests/bench/step_anatomy/measured_service.h"

namespace quire {

// What a service is given to do while its counters are read. No two prompts
// are alike, so none is found in the prefix cache.
class AnatomyLoads {
 public:
  // `service` must outlive it; `vocabulary_size` is its model's.
  AnatomyLoads(MeasuredService* service, int64_t vocabulary_size)
      : service_(service), vocabulary_size_(vocabulary_size) {}

  // Streams of num_tokens tokens after prompts of prompt_length, all at once.
  // Readings from when all of them generate until the first one ends.
  Counters Decode(int num_streams, int prompt_length, int num_tokens);

  // One request after the other, one token each.
  Counters OneByOne(int prompt_length, int num_requests);

 private:
  quire::v1::GenerateRequest MakeRequest(int prompt_length, int num_tokens);

  MeasuredService* const service_;
  const int64_t vocabulary_size_;
  std::mt19937 random_{1};
};

}  // namespace quire

#endif  // QUIRE_TESTS_BENCH_STEP_ANATOMY_ANATOMY_LOADS_H_
