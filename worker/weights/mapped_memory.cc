#include "worker/weights/mapped_memory.h"

#include <sys/mman.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/strings.h"

namespace quire {
namespace {

constexpr int64_t kPage = 4096;
constexpr size_t kHugePage = size_t{2} << 20;

// Beyond every address space of x86-64; below, sums of sizes do not overflow.
constexpr int64_t kMaxBytes = int64_t{1} << 56;

}  // namespace

absl::StatusOr<MappedMemory> MappedMemory::Allocate(int64_t num_bytes,
                                                    std::string_view purpose) {
  QUIRE_CHECK(num_bytes >= 0);
  MappedMemory memory;
  memory.mapping_bytes_ = static_cast<size_t>(num_bytes) + kHugePage;
  void* mapping =
      num_bytes > kMaxBytes
          ? MAP_FAILED
          : mmap(nullptr, memory.mapping_bytes_, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, /*offset=*/0);
  if (mapping == MAP_FAILED) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "no memory for ", ToAbsl(purpose), ": ", num_bytes, " bytes"));
  }
  memory.mapping_ = mapping;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(mapping);
  memory.data_ =
      reinterpret_cast<std::byte*>((begin + kHugePage - 1) & ~(kHugePage - 1));
  // Only a request: without huge pages everything works, slower.
  madvise(memory.data_, static_cast<size_t>(num_bytes), MADV_HUGEPAGE);
  return memory;
}

void MappedMemory::MakeResident(int64_t begin, int64_t end) const {
#ifdef MADV_POPULATE_WRITE
  const int64_t first_page = begin / kPage * kPage;
  madvise(data_ + first_page, static_cast<size_t>(end - first_page),
          MADV_POPULATE_WRITE);
#endif
}

MappedMemory::MappedMemory(MappedMemory&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      mapping_bytes_(std::exchange(other.mapping_bytes_, 0)),
      data_(std::exchange(other.data_, nullptr)) {}

MappedMemory& MappedMemory::operator=(MappedMemory&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapping_bytes_, other.mapping_bytes_);
  std::swap(data_, other.data_);
  return *this;
}

MappedMemory::~MappedMemory() {
  if (mapping_ != nullptr) munmap(mapping_, mapping_bytes_);
}

}  // namespace quire
