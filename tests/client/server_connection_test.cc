#include "client/server_connection.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// A port that is taken, but where nobody listens.
class DeadPort {
 public:
  DeadPort() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(socket_, any, size), 0);
    EXPECT_EQ(getsockname(socket_, any, &size), 0);
    address_ = absl::StrCat("127.0.0.1:", ntohs(address.sin_port));
  }
  ~DeadPort() { close(socket_); }

  const std::string& address() const { return address_; }

 private:
  int socket_;
  std::string address_;
};

TEST(ServerConnectionTest, NamesTheAddressThatRefusesTheConnection) {
  const DeadPort port;
  const ServerConnection server(port.address());
  grpc::ClientContext context;
  quire::v1::StatusResponse response;
  const absl::Status status =
      server.ToStatus(server.stub().Status(&context, {}, &response), context);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(
      status.message(),
      absl::StrCat("cannot connect to ", port.address(),
                   ": Connection refused (UNAVAILABLE); is the server up? "
                   "deploy/local/up starts one"));
}

TEST(ServerConnectionTest, KeepsTheCodeOfAnAnswer) {
  const ServerConnection server("127.0.0.1:1");
  const grpc::ClientContext context;
  const absl::Status status = server.ToStatus(
      grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, "no chat template"),
      context);
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(std::string(status.message()),
            "127.0.0.1:1 answers FAILED_PRECONDITION: no chat template");
}

std::string Words(grpc::StatusCode code, const std::string& message) {
  const ServerConnection server("host:1");
  const grpc::ClientContext context;
  return std::string(
      server.ToStatus(grpc::Status(code, message), context).message());
}

TEST(ServerConnectionTest, GivesTheReasonOfAFailedDial) {
  EXPECT_EQ(Words(grpc::StatusCode::UNAVAILABLE,
                  "DNS resolution failed for host:1: C-ares status is not "
                  "ARES_SUCCESS qtype=A name=host is_balancer=0: Domain name "
                  "not found"),
            "cannot connect to host:1: Domain name not found (UNAVAILABLE)");
  EXPECT_EQ(Words(grpc::StatusCode::UNAVAILABLE,
                  "failed to connect to all addresses"),
            "cannot connect to host:1: failed to connect to all addresses "
            "(UNAVAILABLE)");
}

TEST(ServerConnectionTest, TellsAnotherServiceFromARefusal) {
  EXPECT_EQ(Words(grpc::StatusCode::UNIMPLEMENTED, ""),
            "host:1 is no API port of Quire: it answers UNIMPLEMENTED");
  EXPECT_EQ(Words(grpc::StatusCode::UNIMPLEMENTED, "no beams here"),
            "host:1 answers UNIMPLEMENTED: no beams here");
}

TEST(ServerConnectionTest, DoesNotTakeADeadlineForAnAnswer) {
  EXPECT_EQ(
      Words(grpc::StatusCode::DEADLINE_EXCEEDED, "Deadline Exceeded"),
      "the call to host:1 took longer than its deadline (DEADLINE_EXCEEDED)");
}

TEST(ServerConnectionTest, TellsWhyTheServerDoesNotMeetADeadline) {
  EXPECT_EQ(Words(grpc::StatusCode::DEADLINE_EXCEEDED,
                  "the deadline cannot be met: it is in 2s, the earliest end "
                  "in 4m"),
            "host:1 answers DEADLINE_EXCEEDED: the deadline cannot be met: it "
            "is in 2s, the earliest end in 4m");
}

}  // namespace
}  // namespace quire
