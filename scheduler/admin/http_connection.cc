#include "scheduler/admin/http_connection.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>

namespace quire {

HttpConnection::HttpConnection(int socket, const Clock* clock,
                               absl::Duration patience, size_t max_bytes)
    : socket_(socket),
      clock_(clock),
      end_(clock->Now() + patience),
      num_left_(max_bytes) {}

bool HttpConnection::is_readable() const { return Await(POLLIN); }

bool HttpConnection::is_writable() const { return Await(POLLOUT); }

ssize_t HttpConnection::read(char* data, size_t size) {
  size = std::min(size, num_left_);
  if (size == 0 || !Await(POLLIN)) return -1;
  const ssize_t num_read = recv(socket_, data, size, MSG_DONTWAIT);
  if (num_read > 0) num_left_ -= static_cast<size_t>(num_read);
  return num_read;
}

ssize_t HttpConnection::write(const char* data, size_t size) {
  for (size_t at = 0; at < size;) {
    if (!Await(POLLOUT)) return -1;
    const ssize_t num_written =
        send(socket_, data + at, size - at, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (num_written < 0) return -1;
    at += static_cast<size_t>(num_written);
  }
  return static_cast<ssize_t>(size);
}

bool HttpConnection::Await(short events) const {
  const int64_t left_ms = absl::ToInt64Milliseconds(end_ - clock_->Now());
  if (left_ms <= 0) return false;
  pollfd wanted = {.fd = socket_, .events = events};
  return poll(&wanted, 1, static_cast<int>(left_ms)) > 0;
}

}  // namespace quire
