#include "scheduler/admin/admin_server.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "httplib.h"

namespace quire {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

// A client that sends its request a byte at a time and never to the end.
class Dripper {
 public:
  explicit Dripper(const std::string& address)
      : socket_(Connect(address)), thread_([this] { Drip(); }) {}
  ~Dripper() {
    shutdown(socket_, SHUT_RDWR);
    AwaitHangup();
    close(socket_);
  }
  // Returns when the server has had enough.
  void AwaitHangup() {
    if (thread_.joinable()) thread_.join();
  }

 private:
  static int Connect(const std::string& address) {
    const size_t colon = address.rfind(':');
    sockaddr_in server = {.sin_family = AF_INET};
    server.sin_port =
        htons(static_cast<uint16_t>(std::stoi(address.substr(colon + 1))));
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int result = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(
        connect(result, reinterpret_cast<sockaddr*>(&server), sizeof(server)),
        0);
    return result;
  }
  void Drip() {
    pollfd hangup = {.fd = socket_, .events = POLLIN};
    do {
      send(socket_, "G", 1, MSG_NOSIGNAL);
    } while (poll(&hangup, 1, /*milliseconds=*/20) == 0);
  }

  const int socket_;
  std::thread thread_;
};

class AdminServerTest : public ::testing::Test {
 protected:
  AdminServerTest() {
    AdminSources sources;
    sources.metrics = [] { return std::string("quire_x 1\n"); };
    sources.alive = [this] { return Get(alive_); };
    sources.ready = [this] { return Get(ready_); };
    sources.drop_prefixes = [this] { ++num_drops_; };
    auto server = AdminServer::Listen("127.0.0.1:0", std::move(sources));
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
  }

  void Set(absl::Status& what, absl::Status value) {
    absl::MutexLock lock(&mutex_);
    what = std::move(value);
  }
  httplib::Result Fetch(const std::string& path) {
    return httplib::Client("http://" + server_->address()).Get(path);
  }

  absl::Mutex mutex_;
  absl::Status alive_ ABSL_GUARDED_BY(mutex_);
  absl::Status ready_ ABSL_GUARDED_BY(mutex_);
  std::atomic<int> num_drops_ = 0;
  std::unique_ptr<AdminServer> server_;

 private:
  absl::Status Get(const absl::Status& what) {
    absl::MutexLock lock(&mutex_);
    return what;
  }
};

TEST_F(AdminServerTest, ReportsThePortThatWasChosen) {
  EXPECT_THAT(server_->address(), HasSubstr("127.0.0.1:"));
  EXPECT_THAT(server_->address(), ::testing::Not(EndsWith(":0")));
}

TEST_F(AdminServerTest, MetricsAreTextOfVersionFour) {
  const auto result = Fetch("/metrics");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 200);
  EXPECT_EQ(result->body, "quire_x 1\n");
  EXPECT_EQ(result->get_header_value("Content-Type"),
            "text/plain; version=0.0.4; charset=utf-8");
}

TEST_F(AdminServerTest, ReadinessFollowsItsSource) {
  EXPECT_EQ(Fetch("/readyz")->status, 200);
  EXPECT_EQ(Fetch("/readyz")->body, "ready\n");
  Set(ready_, absl::UnavailableError("0 of 1 workers attached"));
  EXPECT_EQ(Fetch("/readyz")->status, 503);
  EXPECT_EQ(Fetch("/readyz")->body, "not ready: 0 of 1 workers attached\n");
  Set(ready_, absl::OkStatus());
  EXPECT_EQ(Fetch("/readyz")->status, 200);
}

TEST_F(AdminServerTest, LivenessIsApartFromReadiness) {
  Set(ready_, absl::UnavailableError("draining"));
  EXPECT_EQ(Fetch("/livez")->status, 200);
  EXPECT_EQ(Fetch("/livez")->body, "alive\n");
  Set(alive_, absl::InternalError("no heartbeat for 12s"));
  EXPECT_EQ(Fetch("/livez")->status, 503);
  EXPECT_EQ(Fetch("/livez")->body, "not alive: no heartbeat for 12s\n");
}

TEST_F(AdminServerTest, PrefixesAreDroppedByAPostOnly) {
  EXPECT_EQ(Fetch("/drop_prefixes")->status, 404);
  EXPECT_EQ(num_drops_, 0);
  httplib::Client client("http://" + server_->address());
  EXPECT_EQ(client.Post("/drop_prefixes")->status, 200);
  EXPECT_EQ(num_drops_, 1);
}

TEST_F(AdminServerTest, OtherPathsSayWhatThereIs) {
  const auto result = Fetch("/");
  ASSERT_TRUE(result);
  EXPECT_EQ(result->status, 404);
  EXPECT_THAT(result->body, HasSubstr("/metrics"));
}

TEST_F(AdminServerTest, OtherMethodsAreRefused) {
  httplib::Client client("http://" + server_->address());
  EXPECT_EQ(client.Post("/metrics", "x", "text/plain")->status, 404);
  EXPECT_EQ(client.Head("/readyz")->status, 200);
}

TEST_F(AdminServerTest, AddressInUseIsOneClearSentence) {
  const auto second = AdminServer::Listen(server_->address(), {});
  EXPECT_EQ(second.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(
      std::string(second.status().message()),
      "cannot listen on " + server_->address() + ": Address already in use");
}

TEST_F(AdminServerTest, ClientsThatDripAreHungUpOn) {
  std::vector<std::unique_ptr<Dripper>> drippers;
  for (int i = 0; i < 8; ++i) {
    drippers.push_back(std::make_unique<Dripper>(server_->address()));
  }
  for (const auto& dripper : drippers) dripper->AwaitHangup();
  EXPECT_EQ(Fetch("/livez")->status, 200);
}

TEST_F(AdminServerTest, EndsThoughMoreClientsDripThanItHasThreads) {
  std::vector<std::unique_ptr<Dripper>> drippers;
  for (int i = 0; i < 100; ++i) {
    drippers.push_back(std::make_unique<Dripper>(server_->address()));
  }
  server_.reset();
  for (const auto& dripper : drippers) dripper->AwaitHangup();
}

TEST_F(AdminServerTest, UnixSocketIsRefused) {
  EXPECT_EQ(AdminServer::Listen("unix:/tmp/x", {}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST_F(AdminServerTest, ClosedServerLetsItsPortGo) {
  const std::string address = server_->address();
  server_.reset();
  AdminSources sources;
  sources.metrics = [] { return std::string(); };
  EXPECT_TRUE(AdminServer::Listen(address, std::move(sources)).ok());
}

}  // namespace
}  // namespace quire
