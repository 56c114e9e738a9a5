#ifndef QUIRE_KERNELS_CPU_THREAD_SCRATCH_H_
#define QUIRE_KERNELS_CPU_THREAD_SCRATCH_H_

#include <cstddef>
#include <cstdint>

namespace quire {

// Memory of the calling thread, aligned to 64 bytes, whose content lasts until
// its next call. Grows to the largest request and is kept until the thread
// ends, so that steps soon stop allocating.
std::byte* ThreadScratch(int64_t num_bytes);

}  // namespace quire

#endif  // QUIRE_KERNELS_CPU_THREAD_SCRATCH_H_
