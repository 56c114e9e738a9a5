#include "worker/executor/copy_reader.h"

#include "absl/strings/str_cat.h"
#include "common/ids.h"
#include "common/status_macros.h"

namespace quire {

CopyReader::CopyReader(int block_size, uint32_t num_blocks)
    : block_size_(block_size),
      num_blocks_(num_blocks),
      sources_(num_blocks),
      destinations_(num_blocks) {}

absl::Status CopyReader::Read(const worker::v1::BlockCopies& copies,
                              WrittenSlots* written) {
  const int count = copies.source_size();
  if (copies.destination_size() != count || copies.num_slots_size() != count) {
    return absl::InvalidArgumentError(absl::StrCat(
        "copies has ", count, " sources, ", copies.destination_size(),
        " destinations and ", copies.num_slots_size(), " num_slots"));
  }
  copies_.clear();
  sources_.Clear();
  destinations_.Clear();
  for (int i = 0; i < count; ++i) {
    const uint32_t num_slots = copies.num_slots(i);
    if (num_slots < 1 || num_slots > static_cast<uint32_t>(block_size_)) {
      return absl::InvalidArgumentError(
          absl::StrCat("copy ", i, " is of ", num_slots,
                       " slots, must be 1 to ", block_size_));
    }
    QUIRE_RETURN_IF_ERROR(
        ReadOne({.source = BlockId(copies.source(i)),
                 .destination = BlockId(copies.destination(i)),
                 .num_slots = static_cast<int>(num_slots)},
                written));
  }
  return absl::OkStatus();
}

absl::Status CopyReader::ReadOne(const BlockCopy& copy, WrittenSlots* written) {
  const uint32_t source = copy.source.value();
  const uint32_t destination = copy.destination.value();
  if (source >= num_blocks_ || destination >= num_blocks_) {
    return absl::InvalidArgumentError(
        absl::StrCat("block ", source, " is copied to block ", destination,
                     ", there are ", num_blocks_));
  }
  if (!destinations_.Mark(copy.destination)) {
    return absl::InvalidArgumentError(
        absl::StrCat("two copies go to block ", destination));
  }
  sources_.Mark(copy.source);
  for (const BlockId block : {copy.source, copy.destination}) {
    if (!sources_.Contains(block) || !destinations_.Contains(block)) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "block ", block.value(), " is both source and destination of copies"));
  }
  if (copy.num_slots > written->in(copy.source)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the first ", copy.num_slots, " slots of block ", source,
        " are copied, only ", written->in(copy.source), " are written"));
  }
  written->Set(copy.destination, copy.num_slots);
  copies_.push_back(copy);
  return absl::OkStatus();
}

}  // namespace quire
