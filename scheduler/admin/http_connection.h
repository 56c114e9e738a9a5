#ifndef QUIRE_SCHEDULER_ADMIN_HTTP_CONNECTION_H_
#define QUIRE_SCHEDULER_ADMIN_HTTP_CONNECTION_H_

#include <string>

#include "absl/time/time.h"
#include "common/clock.h"
#include "httplib.h"

namespace quire {

// A client's connection that is over at a fixed time and after a number of
// bytes, however busy the client keeps it. (The HTTP library's own limits start
// anew with each byte that comes.) Of one thread.
class HttpConnection final : public httplib::Stream {
 public:
  // Is over `patience` from now, and reads at most `max_bytes`. The socket and
  // the clock stay the caller's.
  HttpConnection(int socket, const Clock* clock, absl::Duration patience,
                 size_t max_bytes);

  bool is_readable() const override;
  bool is_writable() const override;
  // The number of bytes; 0: the client sends no more; -1: it is over.
  ssize_t read(char* data, size_t size) override;
  // All of `data`, or -1.
  ssize_t write(const char* data, size_t size) override;

  // Nobody here asks who the client is.
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  int socket() const override { return socket_; }

 private:
  // Whether one of poll(2)'s `events` came in time.
  bool Await(short events) const;

  const int socket_;
  const Clock* const clock_;
  const absl::Time end_;
  size_t num_left_;  // Bytes that may still be read.
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_ADMIN_HTTP_CONNECTION_H_
