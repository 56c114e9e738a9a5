#ifndef QUIRE_CLIENT_BLOCK_CELLS_H_
#define QUIRE_CLIENT_BLOCK_CELLS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "quire/v1/quire.pb.h"

namespace quire {

// What one character of the map of blocks stands for: one block, or several
// neighbours where there are more blocks than cells.
struct BlockCell {
  // Active where any of its blocks is, else cached where any is, else free.
  quire::v1::BlockState state = quire::v1::BLOCK_STATE_FREE;
  // Eighths of its slots that active blocks use, rounded up: 1 to 8 where
  // active, else 0.
  int level = 0;
  // The request that holds most of its active blocks, as WatchBlocksResponse
  // counts: 0 = none of those listed.
  uint32_t owner = 0;
};

// Blocks that share a cell when there is room for `max_cells`, at least 1.
size_t BlocksPerCell(size_t num_blocks, size_t max_cells);

// The cells of all blocks, at most `max_cells`, which must not be 0.
std::vector<BlockCell> CellsOf(const quire::v1::WatchBlocksResponse& frame,
                               size_t max_cells);

}  // namespace quire

#endif  // QUIRE_CLIENT_BLOCK_CELLS_H_
