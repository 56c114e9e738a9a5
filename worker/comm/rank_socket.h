#ifndef QUIRE_WORKER_COMM_RANK_SOCKET_H_
#define QUIRE_WORKER_COMM_RANK_SOCKET_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace quire {

using SteadyTime = std::chrono::steady_clock::time_point;

// Owns a file descriptor.
class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept
      : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~FileDescriptor();

  bool ok() const { return fd_ >= 0; }
  int get() const { return fd_; }

 private:
  int fd_;
};

// Returns once `events` (of poll) can be served, or DEADLINE_EXCEEDED.
absl::Status AwaitEvents(const FileDescriptor& fd, int16_t events,
                         SteadyTime deadline);

// UNAVAILABLE: what failed, and errno in words.
absl::Status SystemError(const char* what);

// A stream socket that connects two ranks; does not block but by these calls.
// UNAVAILABLE: the other side has hung up or died; DEADLINE_EXCEEDED.
class RankSocket {
 public:
  RankSocket() = default;
  explicit RankSocket(FileDescriptor fd) : fd_(std::move(fd)) {}

  absl::Status Send(std::span<const std::byte> bytes, SteadyTime deadline);
  absl::Status Receive(std::span<std::byte> bytes, SteadyTime deadline);

  // Between processes of one machine.
  absl::Status SendDescriptor(const FileDescriptor& sent, SteadyTime deadline);
  absl::StatusOr<FileDescriptor> ReceiveDescriptor(SteadyTime deadline);

  // Whether the other side has hung up or died.
  bool IsClosed() const;
  const FileDescriptor& fd() const { return fd_; }

 private:
  FileDescriptor fd_;
};

}  // namespace quire

#endif  // QUIRE_WORKER_COMM_RANK_SOCKET_H_
