#include "client/block_cells.h"

#include <algorithm>
#include <map>
#include <vector>

#include "common/check.h"

namespace quire {
namespace {

using quire::v1::BlockState;
using quire::v1::WatchBlocksResponse;

constexpr size_t kSixteenths = 16;
constexpr size_t kLevels = 8;

BlockState StateOf(char byte) { return static_cast<BlockState>(byte & 3); }

size_t UsedSixteenths(char byte) { return ((byte >> 2) & 15) + 1; }

uint32_t OwnerOf(const WatchBlocksResponse& frame, size_t block) {
  const auto index = static_cast<int>(block);
  return index < frame.owner_size() ? frame.owner(index) : 0;
}

// What the blocks of one cell add up to.
struct CellSums {
  size_t used_sixteenths = 0;
  size_t num_active = 0;
  size_t num_cached = 0;
  std::map<uint32_t, size_t> active_by_owner;

  void Add(char byte, uint32_t owner) {
    if (StateOf(byte) == quire::v1::BLOCK_STATE_CACHED) ++num_cached;
    if (StateOf(byte) != quire::v1::BLOCK_STATE_ACTIVE) return;
    ++num_active;
    ++active_by_owner[owner];
    used_sixteenths += UsedSixteenths(byte);
  }
};

BlockCell ToCell(const CellSums& sums, size_t num_blocks) {
  if (sums.num_active == 0) {
    return {.state = sums.num_cached > 0 ? quire::v1::BLOCK_STATE_CACHED
                                         : quire::v1::BLOCK_STATE_FREE};
  }
  const auto by_count = [](const auto& a, const auto& b) {
    return a.second < b.second;
  };
  const auto most = std::max_element(sums.active_by_owner.begin(),
                                     sums.active_by_owner.end(), by_count);
  const size_t whole = num_blocks * kSixteenths;
  const size_t level = (sums.used_sixteenths * kLevels + whole - 1) / whole;
  return {.state = quire::v1::BLOCK_STATE_ACTIVE,
          .level = static_cast<int>(level),
          .owner = most->first};
}

}  // namespace

size_t BlocksPerCell(size_t num_blocks, size_t max_cells) {
  QUIRE_CHECK(max_cells > 0);
  return std::max<size_t>(1, (num_blocks + max_cells - 1) / max_cells);
}

std::vector<BlockCell> CellsOf(const WatchBlocksResponse& frame,
                               size_t max_cells) {
  const size_t num_blocks = frame.blocks().size();
  const size_t per_cell = BlocksPerCell(num_blocks, max_cells);
  std::vector<BlockCell> cells;
  for (size_t begin = 0; begin < num_blocks; begin += per_cell) {
    const size_t end = std::min(num_blocks, begin + per_cell);
    CellSums sums;
    for (size_t block = begin; block < end; ++block) {
      sums.Add(frame.blocks()[block], OwnerOf(frame, block));
    }
    cells.push_back(ToCell(sums, end - begin));
  }
  return cells;
}

}  // namespace quire
