#include "worker/comm/socket_store.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "common/status_macros.h"

namespace quire {
namespace {

// Of a key or its data.
constexpr uint64_t kMaxBytes = 1 << 20;

absl::Status SendBlob(RankSocket& socket, const std::vector<char>& blob,
                      SteadyTime deadline) {
  const uint64_t size = blob.size();
  QUIRE_RETURN_IF_ERROR(
      socket.Send(std::as_bytes(std::span(&size, 1)), deadline));
  return socket.Send(std::as_bytes(std::span(blob)), deadline);
}

absl::Status ReceiveBlob(RankSocket& socket, SteadyTime deadline,
                         std::vector<char>& blob) {
  uint64_t size = 0;
  QUIRE_RETURN_IF_ERROR(
      socket.Receive(std::as_writable_bytes(std::span(&size, 1)), deadline));
  if (size > kMaxBytes) {
    return absl::UnavailableError("another rank sent no addresses");
  }
  blob.resize(size);
  return socket.Receive(std::as_writable_bytes(std::span(blob)), deadline);
}

}  // namespace

void SocketStore::set(const std::string& key, const std::vector<char>& data) {
  const size_t own = entries_.size();
  entries_.push_back({{key.begin(), key.end()}, data});
  const absl::Status status =
      rank_ == Rank(0) ? GatherAndTellAll(own) : TellAndBeTold();
  if (!status.ok()) throw std::runtime_error(std::string(status.message()));
}

std::vector<char> SocketStore::get(const std::string& key) {
  for (const Entry& entry : entries_) {
    if (std::ranges::equal(entry.key, key)) return entry.data;
  }
  throw std::runtime_error("no rank said " + key);
}

absl::Status SocketStore::Send(RankSocket& socket, const Entry& entry) const {
  QUIRE_RETURN_IF_ERROR(SendBlob(socket, entry.key, deadline_));
  return SendBlob(socket, entry.data, deadline_);
}

absl::Status SocketStore::Receive(RankSocket& socket) {
  Entry& entry = entries_.emplace_back();
  QUIRE_RETURN_IF_ERROR(ReceiveBlob(socket, deadline_, entry.key));
  return ReceiveBlob(socket, deadline_, entry.data);
}

absl::Status SocketStore::GatherAndTellAll(size_t first) {
  const std::span<RankSocket> others = std::span(sockets_).subspan(1);
  for (RankSocket& other : others) QUIRE_RETURN_IF_ERROR(Receive(other));
  for (RankSocket& other : others) {
    for (size_t i = first; i < entries_.size(); ++i) {
      QUIRE_RETURN_IF_ERROR(Send(other, entries_[i]));
    }
  }
  return absl::OkStatus();
}

absl::Status SocketStore::TellAndBeTold() {
  QUIRE_RETURN_IF_ERROR(Send(sockets_[0], entries_.back()));
  for (int rank = 0; rank < num_ranks_; ++rank) {
    QUIRE_RETURN_IF_ERROR(Receive(sockets_[0]));
  }
  return absl::OkStatus();
}

}  // namespace quire
