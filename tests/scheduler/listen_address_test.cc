#include "scheduler/listen_address.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using ::testing::HasSubstr;

ListenAddress Parse(const std::string& text) {
  const auto address = ListenAddress::Parse(text);
  EXPECT_TRUE(address.ok()) << address.status();
  return address.value_or(ListenAddress());
}

TEST(ListenAddressTest, HostAndPort) {
  const ListenAddress address = Parse("127.0.0.1:8300");
  EXPECT_EQ(address.host, "127.0.0.1");
  EXPECT_EQ(address.port, 8300);
  EXPECT_EQ(address.unix_path, "");
}

TEST(ListenAddressTest, SixthVersionStandsInBrackets) {
  EXPECT_EQ(Parse("[::1]:0").host, "::1");
  EXPECT_FALSE(ListenAddress::Parse("::1:80").ok());
}

TEST(ListenAddressTest, UnixSocket) {
  const ListenAddress address = Parse("unix:/tmp/a:b");
  EXPECT_EQ(address.unix_path, "/tmp/a:b");
  EXPECT_EQ(address.host, "");
}

TEST(ListenAddressTest, ToStringIsWhatWasParsed) {
  for (const char* text : {"localhost:1", "[::]:65535", "unix:/a/b"}) {
    EXPECT_EQ(Parse(text).ToString(), text);
  }
}

TEST(ListenAddressTest, EverythingElseIsRefused) {
  for (const char* text : {"", ":", "8300", "host", "host:", ":8300",
                           "host:65536", "host:-1", "host:80x", "unix:"}) {
    EXPECT_EQ(ListenAddress::Parse(text).status().code(),
              absl::StatusCode::kInvalidArgument)
        << text;
  }
}

TEST(ListenAddressTest, FreePortCanBeListenedOn) {
  EXPECT_TRUE(Parse("127.0.0.1:0").CheckCanListen().ok());
}

TEST(ListenAddressTest, PortInUseIsSaidSo) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in name = {};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(name);
  ASSERT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&name), size), 0);
  ASSERT_EQ(listen(fd, 1), 0);
  getsockname(fd, reinterpret_cast<sockaddr*>(&name), &size);
  const std::string text = "127.0.0.1:" + std::to_string(ntohs(name.sin_port));
  EXPECT_EQ(std::string(Parse(text).CheckCanListen().message()),
            "cannot listen on " + text + ": Address already in use");
  close(fd);
}

TEST(ListenAddressTest, UnknownHostIsNamed) {
  const absl::Status status = Parse("no-such-host.invalid:80").CheckCanListen();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("no-such-host.invalid:80"));
}

class UnixAddressTest : public ::testing::Test {
 protected:
  // Not below TempDir(): a socket's path has at most 107 bytes.
  UnixAddressTest() : path_("/tmp/quire_listen_" + std::to_string(getpid())) {}
  ~UnixAddressTest() override { unlink(path_.c_str()); }

  // Returns a socket that is bound to the path.
  int Bind() {
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un name = {};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, path_.c_str(), sizeof(name.sun_path) - 1);
    EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
    return fd;
  }
  absl::Status Check() { return Parse("unix:" + path_).CheckCanListen(); }

  const std::string path_;
};

TEST_F(UnixAddressTest, SocketThatIsAnsweredIsInUse) {
  const int fd = Bind();
  ASSERT_EQ(listen(fd, 1), 0);
  EXPECT_THAT(std::string(Check().message()),
              HasSubstr("Address already in use"));
  close(fd);
}

TEST_F(UnixAddressTest, SocketOfADeadServerIsReplaced) {
  close(Bind());
  EXPECT_TRUE(Check().ok());
}

TEST_F(UnixAddressTest, FileIsNotReplaced) {
  std::ofstream(path_) << "precious";
  EXPECT_THAT(std::string(Check().message()), HasSubstr("no socket"));
}

TEST_F(UnixAddressTest, PathThatIsTooLongIsSaidSo) {
  const ListenAddress address = Parse("unix:/" + std::string(200, 'x'));
  EXPECT_THAT(std::string(address.CheckCanListen().message()),
              HasSubstr("File name too long"));
}

}  // namespace
}  // namespace quire
