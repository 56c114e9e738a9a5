#ifndef QUIRE_WORKER_WEIGHTS_MAPPED_MEMORY_H_
#define QUIRE_WORKER_WEIGHTS_MAPPED_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"

namespace quire {

// A large range of zeros, aligned to 2 MiB and in huge pages where the system
// has them, whose pages become resident when they are first touched. Owns the
// range; may be moved, not copied.
class MappedMemory {
 public:
  // RESOURCE_EXHAUSTED names `purpose` and the bytes.
  static absl::StatusOr<MappedMemory> Allocate(int64_t num_bytes,
                                               std::string_view purpose);

  MappedMemory() = default;  // Empty.
  MappedMemory(MappedMemory&& other) noexcept;
  MappedMemory& operator=(MappedMemory&& other) noexcept;
  ~MappedMemory();

  // Makes pages of bytes [begin, end) resident before they are touched, where
  // the system can (Linux 5.14). Several threads may do so at a time.
  void MakeResident(int64_t begin, int64_t end) const;

  std::byte* data() const { return data_; }

 private:
  void* mapping_ = nullptr;
  size_t mapping_bytes_ = 0;
  std::byte* data_ = nullptr;
};

}  // namespace quire

#endif  // QUIRE_WORKER_WEIGHTS_MAPPED_MEMORY_H_
