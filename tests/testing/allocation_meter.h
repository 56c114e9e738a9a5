#ifndef QUIRE_TESTS_TESTING_ALLOCATION_METER_H_
#define QUIRE_TESTS_TESTING_ALLOCATION_METER_H_

#include <cstddef>

namespace quire::testing {

// The largest single allocation of this thread while the object lives: what a
// file that lies about a count must not move. Linking the library replaces the
// global operator new of the test. One at a time on a thread.
class AllocationMeter {
 public:
  AllocationMeter();

  size_t largest_bytes() const;
};

}  // namespace quire::testing

#endif  // QUIRE_TESTS_TESTING_ALLOCATION_METER_H_
