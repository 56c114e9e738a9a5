#ifndef QUIRE_TESTS_FUZZ_FRONTEND_RANDOM_MESSAGE_H_
#define QUIRE_TESTS_FUZZ_FRONTEND_RANDOM_MESSAGE_H_

#include <random>

#include "google/protobuf/message.h"

namespace quire::testing {

// Sets a random choice of the message's fields, and of theirs, to random
// values: mostly plausible ones, sometimes the extremes of their types.
void FillRandomly(std::mt19937_64& random, google::protobuf::Message* message);

}  // namespace quire::testing

#endif  // QUIRE_TESTS_FUZZ_FRONTEND_RANDOM_MESSAGE_H_
