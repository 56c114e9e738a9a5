#include "scheduler/admin/http_connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>
#include <utility>

#include "gtest/gtest.h"
#include "tests/testing/puppets/manual_clock.h"

namespace quire {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(30);
constexpr size_t kMaxBytes = 10;

class HttpConnectionTest : public ::testing::Test {
 protected:
  HttpConnectionTest() {
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets_), 0);
  }
  ~HttpConnectionTest() override {
    HangUp();
    close(sockets_[1]);
  }

  void Send(const std::string& text) {
    EXPECT_EQ(send(sockets_[0], text.data(), text.size(), 0),
              static_cast<ssize_t>(text.size()));
  }
  void HangUp() { close(std::exchange(sockets_[0], -1)); }
  // All that the client receives until there is no more.
  std::string ReceiveAll() {
    std::string text;
    char buffer[4096];
    for (ssize_t size;
         (size = recv(sockets_[0], buffer, sizeof(buffer), 0)) > 0;) {
      text.append(buffer, static_cast<size_t>(size));
    }
    return text;
  }
  // What one read takes; "over" at the end.
  std::string Read(HttpConnection& connection) {
    char buffer[100];
    const ssize_t size = connection.read(buffer, sizeof(buffer));
    return size < 0 ? "over" : std::string(buffer, static_cast<size_t>(size));
  }

  int sockets_[2];  // The client's and the server's.
  ManualClock clock_;
};

TEST_F(HttpConnectionTest, ReadsWhatIsThereAndTheEnd) {
  HttpConnection connection(sockets_[1], &clock_, kPatience, kMaxBytes);
  Send("GET");
  EXPECT_EQ(Read(connection), "GET");
  HangUp();
  EXPECT_EQ(Read(connection), "");
}

TEST_F(HttpConnectionTest, BytesThatKeepComingBuyNoTime) {
  HttpConnection connection(sockets_[1], &clock_, kPatience, kMaxBytes);
  clock_.Advance(kPatience / 2);
  Send("G");
  EXPECT_EQ(Read(connection), "G");
  clock_.Advance(kPatience / 2);
  Send("E");
  EXPECT_EQ(Read(connection), "over");
  EXPECT_FALSE(connection.is_readable());
  EXPECT_EQ(connection.write("400", 3), -1);
}

TEST_F(HttpConnectionTest, ReadsNoMoreThanItsLimit) {
  HttpConnection connection(sockets_[1], &clock_, kPatience, kMaxBytes);
  Send("twelve bytes");
  EXPECT_EQ(Read(connection), "twelve byt");
  EXPECT_EQ(Read(connection), "over");
}

TEST_F(HttpConnectionTest, WritesMoreThanTheSocketHolds) {
  HttpConnection connection(sockets_[1], &clock_, kPatience, kMaxBytes);
  const std::string answer(10'000'000, 'x');
  std::thread server([&] {
    EXPECT_EQ(connection.write(answer.data(), answer.size()),
              static_cast<ssize_t>(answer.size()));
    shutdown(sockets_[1], SHUT_WR);
  });
  EXPECT_EQ(ReceiveAll().size(), answer.size());
  server.join();
}

TEST_F(HttpConnectionTest, ClientThatIsGoneIsNoSignal) {
  HttpConnection connection(sockets_[1], &clock_, kPatience, kMaxBytes);
  HangUp();
  EXPECT_EQ(connection.write("200", 3), -1);
}

}  // namespace
}  // namespace quire
