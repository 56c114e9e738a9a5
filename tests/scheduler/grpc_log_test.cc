#include "scheduler/grpc_log.h"

#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "gmock/gmock.h"
#include "grpc/support/log.h"
#include "gtest/gtest.h"
#include "httplib.h"
#include "scheduler/listen_address.h"
#include "scheduler/server.h"

namespace quire {
namespace {

using ::testing::HasSubstr;

ServerOptions Options() {
  ServerOptions options;
  options.model = "tests/testdata/tiny/llama3rope_f32";
  options.listen = "127.0.0.1:0";
  options.worker_listen = "127.0.0.1:0";
  options.admin_listen = "127.0.0.1:0";
  return options;
}

// While it lives this process can open no file.
class FileShortage {
 public:
  FileShortage() {
    getrlimit(RLIMIT_NOFILE, &before_);
    rlimit shortage = before_;
    shortage.rlim_cur = NextFile();
    EXPECT_EQ(setrlimit(RLIMIT_NOFILE, &shortage), 0);
  }
  ~FileShortage() { setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  static rlim_t NextFile() {
    const int file = dup(STDERR_FILENO);
    close(file);
    return static_cast<rlim_t>(file);
  }

  rlimit before_;
};

class TcpClient {
 public:
  TcpClient() : socket_(socket(AF_INET, SOCK_STREAM, 0)) {}
  ~TcpClient() { close(socket_); }
  void Connect(const std::string& address) {
    sockaddr_in server = {.sin_family = AF_INET};
    server.sin_port = htons(ListenAddress::Parse(address)->port);
    server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(
        connect(socket_, reinterpret_cast<sockaddr*>(&server), sizeof(server)),
        0);
  }

 private:
  const int socket_;
};

httplib::Result FetchLiveness(const Server& server) {
  return httplib::Client("http://" + server.admin_address()).Get("/livez");
}

// One test: what is lost is lost for the whole process.
TEST(GrpcLogTest, PortThatIsLostForWantOfFilesEndsLiveness) {
  WatchGrpcLog();
  const auto server = Server::Start(Options());
  ASSERT_TRUE(server.ok()) << server.status();
  gpr_log(GPR_ERROR, "another error");
  EXPECT_EQ(FetchLiveness(**server)->status, 200);
  TcpClient client;
  {
    const FileShortage shortage;
    client.Connect((*server)->api_address());
    while (CheckGrpcListeners().ok()) std::this_thread::yield();
  }
  const auto liveness = FetchLiveness(**server);
  EXPECT_EQ(liveness->status, 503);
  EXPECT_THAT(liveness->body, HasSubstr("a port takes no more connections"));
}

}  // namespace
}  // namespace quire
