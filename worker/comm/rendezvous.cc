#include "worker/comm/rendezvous.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <random>

#include "absl/memory/memory.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/status_macros.h"

namespace quire {
namespace {

constexpr int kBacklog = 64;
constexpr std::chrono::milliseconds kGreetingLimit{500};
constexpr uint64_t kMagic = 0x31306d6d6f637151;

// A rank's first word. All ranks run on machines of one kind.
struct Greeting {
  uint64_t magic = 0;
  uint64_t epoch = 0;
  uint64_t rank = 0;
};

struct SocketAddress {
  sockaddr_storage storage = {};
  socklen_t size = 0;

  const sockaddr* get() const {
    return reinterpret_cast<const sockaddr*>(&storage);
  }
};

// Of an abstract socket, which vanishes with its process.
SocketAddress LocalAddress(absl::string_view name) {
  SocketAddress address;
  auto* const local = reinterpret_cast<sockaddr_un*>(&address.storage);
  local->sun_family = AF_UNIX;
  const size_t size = std::min(name.size(), sizeof(local->sun_path) - 1);
  std::memcpy(local->sun_path + 1, name.data(), size);
  address.size =
      static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + size);
  return address;
}

absl::StatusOr<SocketAddress> ResolveHost(const std::string& host,
                                          const std::string& port) {
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (error != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(host, ":", port, ": ", gai_strerror(error)));
  }
  SocketAddress address;
  std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
  address.size = found->ai_addrlen;
  freeaddrinfo(found);
  return address;
}

absl::StatusOr<SocketAddress> ParseAddress(const std::string& text) {
  constexpr char kLocal[] = "unix:@";
  constexpr char kTcp[] = "tcp:";
  if (absl::StartsWith(text, kLocal)) {
    return LocalAddress(absl::string_view(text).substr(sizeof(kLocal) - 1));
  }
  const size_t colon = text.rfind(':');
  if (!absl::StartsWith(text, kTcp) || colon < sizeof(kTcp)) {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", text, "\" is no rendezvous of ranks"));
  }
  const size_t host = sizeof(kTcp) - 1;
  return ResolveHost(text.substr(host, colon - host), text.substr(colon + 1));
}

FileDescriptor NewSocket(const SocketAddress& address) {
  return FileDescriptor(socket(address.storage.ss_family,
                               SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

absl::StatusOr<FileDescriptor> Listen(const SocketAddress& address) {
  FileDescriptor listener = NewSocket(address);
  if (!listener.ok() ||
      bind(listener.get(), address.get(), address.size) != 0 ||
      listen(listener.get(), kBacklog) != 0) {
    return SystemError("cannot listen for the other ranks");
  }
  return listener;
}

// Whether the other end is a process of the same user; over TCP nobody knows.
bool IsSameUser(const FileDescriptor& socket) {
  ucred credentials = {};
  socklen_t size = sizeof(credentials);
  sockaddr_storage own = {};
  socklen_t own_size = sizeof(own);
  getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &own_size);
  if (own.ss_family != AF_UNIX) return true;
  return getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &credentials,
                    &size) == 0 &&
         credentials.uid == geteuid();
}

struct Arrival {
  RankSocket socket;
  Greeting greeting;  // Of rank 0: whoever came is none of the others.
};

Arrival Accept(const FileDescriptor& listener, SteadyTime deadline) {
  FileDescriptor fd(
      accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!fd.ok() || !IsSameUser(fd)) return {};
  Arrival arrival = {.socket = RankSocket(std::move(fd)), .greeting = {}};
  const auto limit =
      std::min(deadline, std::chrono::steady_clock::now() + kGreetingLimit);
  const absl::Status status = arrival.socket.Receive(
      std::as_writable_bytes(std::span(&arrival.greeting, 1)), limit);
  if (!status.ok() || arrival.greeting.magic != kMagic) arrival.greeting = {};
  return arrival;
}

absl::Status MissingRanks(const std::vector<RankSocket>& ranks) {
  std::string missing;
  for (size_t rank = 1; rank < ranks.size(); ++rank) {
    if (!ranks[rank].fd().ok()) absl::StrAppend(&missing, " ", rank);
  }
  return absl::DeadlineExceededError(
      absl::StrCat("ranks that did not come to the rendezvous:", missing));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Rendezvous>> Rendezvous::ListenHere() {
  std::random_device random;
  const std::string name =
      absl::StrFormat("quire-%08x%08x%08x", random(), random(), random());
  QUIRE_ASSIGN_OR_RETURN(FileDescriptor listener, Listen(LocalAddress(name)));
  return absl::WrapUnique(new Rendezvous(std::move(listener), "unix:@" + name));
}

absl::StatusOr<std::unique_ptr<Rendezvous>> Rendezvous::ListenOn(
    const std::string& host) {
  QUIRE_ASSIGN_OR_RETURN(SocketAddress address, ResolveHost(host, "0"));
  QUIRE_ASSIGN_OR_RETURN(FileDescriptor listener, Listen(address));
  if (getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address.storage),
                  &address.size) != 0) {
    return SystemError("cannot listen for the other ranks");
  }
  // The port is at the same place in both families.
  const int port =
      ntohs(reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_port);
  return absl::WrapUnique(new Rendezvous(
      std::move(listener), absl::StrCat("tcp:", host, ":", port)));
}

absl::StatusOr<std::vector<RankSocket>> Rendezvous::Meet(Epoch epoch,
                                                         int num_ranks,
                                                         SteadyTime deadline) {
  std::vector<RankSocket> ranks(num_ranks);
  for (int missing = num_ranks - 1; missing > 0;) {
    if (std::chrono::steady_clock::now() >= deadline ||
        !AwaitEvents(listener_, POLLIN, deadline).ok()) {
      return MissingRanks(ranks);
    }
    Arrival arrival = Accept(listener_, deadline);
    const Greeting& greeting = arrival.greeting;
    if (greeting.rank < 1 || greeting.rank >= ranks.size()) continue;
    if (greeting.epoch > epoch.value()) {
      return absl::UnavailableError(
          absl::StrCat("epoch ", epoch.value(), " is over: rank ",
                       greeting.rank, " is in epoch ", greeting.epoch));
    }
    if (greeting.epoch < epoch.value()) continue;
    RankSocket& socket = ranks[greeting.rank];
    // Who comes twice has died after the first time.
    if (!socket.fd().ok()) --missing;
    socket = std::move(arrival.socket);
  }
  return ranks;
}

absl::StatusOr<RankSocket> MeetAt(const std::string& address, Epoch epoch,
                                  Rank rank, SteadyTime deadline) {
  QUIRE_ASSIGN_OR_RETURN(const SocketAddress target, ParseAddress(address));
  FileDescriptor fd = NewSocket(target);
  if (!fd.ok()) return SystemError("cannot meet rank 0");
  int error = connect(fd.get(), target.get(), target.size) == 0 ? 0 : errno;
  if (error == EINPROGRESS) {
    QUIRE_RETURN_IF_ERROR(AwaitEvents(fd, POLLOUT, deadline));
    socklen_t size = sizeof(error);
    getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  }
  if (error != 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot meet rank 0 at ", address, ": ", strerror(error)));
  }
  if (!IsSameUser(fd)) {
    return absl::UnavailableError(
        absl::StrCat("another user listens at ", address));
  }
  RankSocket socket(std::move(fd));
  const Greeting greeting = {
      .magic = kMagic, .epoch = epoch.value(), .rank = rank.value()};
  QUIRE_RETURN_IF_ERROR(
      socket.Send(std::as_bytes(std::span(&greeting, 1)), deadline));
  return socket;
}

}  // namespace quire
