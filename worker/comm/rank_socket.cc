#include "worker/comm/rank_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/status_macros.h"

namespace quire {
namespace {

absl::Status HungUp() { return absl::UnavailableError("another rank hung up"); }

bool WouldBlock() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

// One byte that carries a descriptor beside it.
struct DescriptorMessage {
  DescriptorMessage() {
    header.msg_iov = &payload;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
  }

  char byte = 0;
  iovec payload = {.iov_base = &byte, .iov_len = 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header = {};
};

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (ok()) close(fd_);
}

absl::Status SystemError(const char* what) {
  return absl::UnavailableError(absl::StrCat(what, ": ", strerror(errno)));
}

absl::Status AwaitEvents(const FileDescriptor& fd, int16_t events,
                         SteadyTime deadline) {
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    pollfd polled = {.fd = fd.get(), .events = events, .revents = 0};
    const int ready =
        poll(&polled, 1, std::max(0, static_cast<int>(left.count())));
    if (ready > 0) return absl::OkStatus();
    if (ready < 0 && errno != EINTR) return SystemError("poll");
    if (left.count() <= 0) {
      return absl::DeadlineExceededError("another rank did not come in time");
    }
  }
}

absl::Status RankSocket::Send(std::span<const std::byte> bytes,
                              SteadyTime deadline) {
  while (!bytes.empty()) {
    const ssize_t sent =
        send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes = bytes.subspan(sent);
    } else if (WouldBlock()) {
      QUIRE_RETURN_IF_ERROR(AwaitEvents(fd_, POLLOUT, deadline));
    } else {
      return HungUp();
    }
  }
  return absl::OkStatus();
}

absl::Status RankSocket::Receive(std::span<std::byte> bytes,
                                 SteadyTime deadline) {
  while (!bytes.empty()) {
    const ssize_t received = recv(fd_.get(), bytes.data(), bytes.size(), 0);
    if (received > 0) {
      bytes = bytes.subspan(received);
    } else if (received < 0 && WouldBlock()) {
      QUIRE_RETURN_IF_ERROR(AwaitEvents(fd_, POLLIN, deadline));
    } else {
      return HungUp();
    }
  }
  return absl::OkStatus();
}

absl::Status RankSocket::SendDescriptor(const FileDescriptor& sent,
                                        SteadyTime deadline) {
  DescriptorMessage message;
  cmsghdr* const control = CMSG_FIRSTHDR(&message.header);
  control->cmsg_level = SOL_SOCKET;
  control->cmsg_type = SCM_RIGHTS;
  control->cmsg_len = CMSG_LEN(sizeof(int));
  const int fd = sent.get();
  std::memcpy(CMSG_DATA(control), &fd, sizeof(fd));
  while (sendmsg(fd_.get(), &message.header, MSG_NOSIGNAL) < 0) {
    if (!WouldBlock()) return HungUp();
    QUIRE_RETURN_IF_ERROR(AwaitEvents(fd_, POLLOUT, deadline));
  }
  return absl::OkStatus();
}

absl::StatusOr<FileDescriptor> RankSocket::ReceiveDescriptor(
    SteadyTime deadline) {
  DescriptorMessage message;
  ssize_t received;
  while ((received = recvmsg(fd_.get(), &message.header, MSG_CMSG_CLOEXEC)) <
         0) {
    if (!WouldBlock()) return HungUp();
    QUIRE_RETURN_IF_ERROR(AwaitEvents(fd_, POLLIN, deadline));
  }
  const cmsghdr* const control = CMSG_FIRSTHDR(&message.header);
  if (received == 0 || control == nullptr || control->cmsg_type != SCM_RIGHTS) {
    return HungUp();
  }
  int fd;
  std::memcpy(&fd, CMSG_DATA(control), sizeof(fd));
  return FileDescriptor(fd);
}

bool RankSocket::IsClosed() const {
  pollfd polled = {.fd = fd_.get(), .events = POLLRDHUP, .revents = 0};
  return poll(&polled, 1, 0) > 0;
}

}  // namespace quire
