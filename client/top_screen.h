#ifndef QUIRE_CLIENT_TOP_SCREEN_H_
#define QUIRE_CLIENT_TOP_SCREEN_H_

#include <cstddef>
#include <string>
#include <vector>

#include "client/screen_line.h"
#include "quire/v1/quire.pb.h"

namespace quire {

struct ScreenSize {
  size_t rows = 24;
  size_t columns = 80;
};

// What `quire top` shows at one moment.
struct TopView {
  std::string title;                     // Who is watched.
  quire::v1::WatchBlocksResponse frame;  // Now.
  quire::v1::WatchBlocksResponse
      previous;  // The frame before, for rates; empty at first.
};

// The view as lines: figures, the map of the blocks, the requests. At most
// size.rows lines; render them at size.columns. Where there are more blocks
// than room, neighbouring ones share a cell; requests that find no room are
// left out, with their number said. A pure function.
std::vector<ScreenLine> TopScreen(const TopView& view, const ScreenSize& size);

}  // namespace quire

#endif  // QUIRE_CLIENT_TOP_SCREEN_H_
