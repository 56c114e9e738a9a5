#include "scheduler/listen_address.h"

#include <netdb.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace quire {
namespace {

// Closes a socket that was only to try something.
class Socket {
 public:
  explicit Socket(int family) : fd_(socket(family, SOCK_STREAM, 0)) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

absl::Status CannotListen(const ListenAddress& address, const char* reason) {
  return absl::UnavailableError(
      absl::StrCat("cannot listen on ", address.ToString(), ": ", reason));
}

absl::Status CheckTcp(const ListenAddress& address) {
  addrinfo hints = {};
  hints.ai_flags = AI_PASSIVE;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(),
                  &hints, &found);
  if (error != 0) return CannotListen(address, gai_strerror(error));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found,
                                                             freeaddrinfo);
  const Socket socket(found->ai_family);
  const int yes = 1;
  // As servers do: a port whose last connections linger counts as free.
  setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  if (bind(socket.fd(), found->ai_addr, found->ai_addrlen) != 0 ||
      listen(socket.fd(), 1) != 0) {
    return CannotListen(address, std::strerror(errno));
  }
  return absl::OkStatus();
}

// A socket file that nobody answers at is a dead server's, and replaced.
absl::Status CheckUnix(const ListenAddress& address) {
  sockaddr_un name = {};
  name.sun_family = AF_UNIX;
  if (address.unix_path.size() >= sizeof(name.sun_path)) {
    return CannotListen(address, std::strerror(ENAMETOOLONG));
  }
  std::memcpy(name.sun_path, address.unix_path.data(),
              address.unix_path.size());
  struct stat info;
  if (stat(name.sun_path, &info) != 0) return absl::OkStatus();
  if (!S_ISSOCK(info.st_mode)) {
    return CannotListen(address, "a file that is no socket is in the way");
  }
  const Socket socket(AF_UNIX);
  if (connect(socket.fd(), reinterpret_cast<const sockaddr*>(&name),
              sizeof(name)) == 0) {
    return CannotListen(address, std::strerror(EADDRINUSE));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<ListenAddress> ListenAddress::Parse(const std::string& text) {
  const absl::Status bad = absl::InvalidArgumentError(
      absl::StrCat("\"", text,
                   "\" is no address to listen on: host:port, [host]:port or "
                   "unix:path is"));
  ListenAddress address;
  if (text.starts_with("unix:")) {
    address.unix_path = text.substr(std::strlen("unix:"));
    if (address.unix_path.empty()) return bad;
    return address;
  }
  const size_t colon = text.rfind(':');
  if (colon == std::string::npos) return bad;
  address.host = text.substr(0, colon);
  if (address.host.starts_with('[') && address.host.ends_with(']')) {
    address.host = address.host.substr(1, address.host.size() - 2);
  } else if (address.host.find(':') != std::string::npos) {
    return bad;
  }
  uint32_t port = 0;
  if (address.host.empty() ||
      !absl::SimpleAtoi(text.substr(colon + 1), &port) || port > UINT16_MAX) {
    return bad;
  }
  address.port = static_cast<uint16_t>(port);
  return address;
}

std::string ListenAddress::ToString() const {
  if (!unix_path.empty()) return absl::StrCat("unix:", unix_path);
  if (host.find(':') != std::string::npos) {
    return absl::StrCat("[", host, "]:", port);
  }
  return absl::StrCat(host, ":", port);
}

absl::Status ListenAddress::CheckCanListen() const {
  return unix_path.empty() ? CheckTcp(*this) : CheckUnix(*this);
}

}  // namespace quire
