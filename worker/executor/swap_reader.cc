#include "worker/executor/swap_reader.h"

#include "absl/strings/str_cat.h"
#include "common/ids.h"
#include "common/status_macros.h"

namespace quire {
namespace {

using worker::v1::Swaps;

absl::Status CheckLengths(const char* field, const Swaps& swaps) {
  if (swaps.source_size() == swaps.destination_size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " has ", swaps.source_size(), " sources and ",
                   swaps.destination_size(), " destinations"));
}

}  // namespace

SwapReader::SwapReader(uint32_t num_blocks, uint32_t num_host_blocks)
    : num_blocks_(num_blocks),
      blocks_(num_blocks),
      host_blocks_(num_host_blocks),
      held_slots_(num_host_blocks, kNothing) {}

absl::Status SwapReader::ReadOut(const Swaps& swaps,
                                 const WrittenSlots& written) {
  QUIRE_RETURN_IF_ERROR(CheckLengths("swaps_out", swaps));
  ClearMarks();
  swaps_out_.clear();
  for (int i = 0; i < swaps.source_size(); ++i) {
    const BlockSwap swap = {.block = BlockId(swaps.source(i)),
                            .host_block = HostBlockId(swaps.destination(i))};
    QUIRE_RETURN_IF_ERROR(Check(swap));
    held_slots_[swap.host_block.value()] = written.in(swap.block);
    swaps_out_.push_back(swap);
  }
  return absl::OkStatus();
}

absl::Status SwapReader::ReadIn(const Swaps& swaps, WrittenSlots* written) {
  QUIRE_RETURN_IF_ERROR(CheckLengths("swaps_in", swaps));
  ClearMarks();
  swaps_in_.clear();
  for (int i = 0; i < swaps.source_size(); ++i) {
    const BlockSwap swap = {.block = BlockId(swaps.destination(i)),
                            .host_block = HostBlockId(swaps.source(i))};
    QUIRE_RETURN_IF_ERROR(Check(swap));
    const int num_slots = held_slots_[swap.host_block.value()];
    if (num_slots == kNothing) {
      return absl::InvalidArgumentError(
          absl::StrCat("host block ", swap.host_block.value(),
                       " is swapped in, but nothing was swapped out to it"));
    }
    written->Set(swap.block, num_slots);
    swaps_in_.push_back(swap);
  }
  return absl::OkStatus();
}

void SwapReader::ClearMarks() {
  blocks_.Clear();
  host_blocks_.Clear();
}

absl::Status SwapReader::Check(const BlockSwap& swap) {
  const uint32_t block = swap.block.value();
  const uint32_t host_block = swap.host_block.value();
  if (block >= num_blocks_ || host_block >= held_slots_.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "block ", block, " and host block ", host_block,
        " are swapped, there are ", num_blocks_, " and ", held_slots_.size()));
  }
  if (!blocks_.Mark(swap.block)) {
    return absl::InvalidArgumentError(
        absl::StrCat("block ", block, " is swapped twice"));
  }
  if (!host_blocks_.Mark(swap.host_block)) {
    return absl::InvalidArgumentError(
        absl::StrCat("host block ", host_block, " is swapped twice"));
  }
  return absl::OkStatus();
}

}  // namespace quire
