#include "worker/comm/communicator.h"

#include <algorithm>
#include <numeric>

namespace quire {

void PutColumns(const ColumnShares& shares, int rank,
                std::span<const float> part, int64_t first, float* matrix) {
  if (part.empty()) return;
  const std::span<const int64_t> sizes = shares.num_columns;
  matrix += std::reduce(sizes.begin(), sizes.begin() + rank);
  for (int64_t row = first / sizes[rank], column = first % sizes[rank];
       !part.empty(); ++row, column = 0) {
    const auto of_row = part.first(
        std::min(part.size(), static_cast<size_t>(sizes[rank] - column)));
    std::copy(of_row.begin(), of_row.end(),
              matrix + row * shares.stride + column);
    part = part.subspan(of_row.size());
  }
}

absl::Status Communicator::Form(Epoch epoch, const std::string& rendezvous) {
  Leave();
  state_ = DoForm(epoch, rendezvous);
  if (!state_.ok()) DoLeave();
  return state_;
}

void Communicator::Leave() {
  DoLeave();
  state_ = absl::FailedPreconditionError("the ranks have not met");
}

template <typename Collective>
absl::Status Communicator::Begin(CollectiveUse use,
                                 const Collective& collective) {
  ++counts_[static_cast<int>(use)];
  if (!state_.ok()) return state_;
  state_ = collective();
  // The others need not wait for what will not come.
  if (!state_.ok()) DoLeave();
  return state_;
}

absl::Status Communicator::AllReduceSum(CollectiveUse use,
                                        std::span<float> values) {
  return Begin(use, [&] { return DoAllReduceSum(values); });
}

absl::Status Communicator::Broadcast(CollectiveUse use,
                                     std::span<std::byte> bytes) {
  return Begin(use, [&] { return DoBroadcast(bytes); });
}

absl::Status Communicator::GatherColumns(CollectiveUse use,
                                         const ColumnShares& shares,
                                         float* matrix) {
  return Begin(use, [&] { return DoGatherColumns(shares, matrix); });
}

}  // namespace quire
