#include "scheduler/memory/host_block_pool.h"

#include "common/check.h"

namespace quire {

HostBlock::~HostBlock() { pool_->free_.push_back(id_); }

HostBlockPool::HostBlockPool(uint32_t num_blocks) : num_blocks_(num_blocks) {
  free_.reserve(num_blocks);
  for (uint32_t i = num_blocks; i > 0; --i) free_.emplace_back(i - 1);
}

HostBlockPool::~HostBlockPool() { QUIRE_CHECK(num_used() == 0); }

HostBlockRef HostBlockPool::Allocate() {
  if (free_.empty()) return nullptr;
  const HostBlockId id = free_.back();
  free_.pop_back();
  return HostBlockRef(new HostBlock(this, id));
}

}  // namespace quire
