#include "scheduler/admin/admin_server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "common/clock.h"
#include "common/status_macros.h"
#include "httplib.h"
#include "scheduler/admin/http_connection.h"
#include "scheduler/listen_address.h"

namespace quire {
namespace {

constexpr size_t kNumThreads = 8;
// For a client to ask and to take the answer.
constexpr absl::Duration kPatience = absl::Seconds(2);
constexpr size_t kMaxRequestBytes = 16 << 10;

constexpr char kPlainText[] = "text/plain; charset=utf-8";
constexpr char kMetricsText[] = "text/plain; version=0.0.4; charset=utf-8";

// Serves one request a connection.
class HttpServer final : public httplib::Server {
 public:
  HttpServer() {
    // Called by the thread that listens.
    new_task_queue = [this] {
      running_.Notify();
      return new httplib::ThreadPool(kNumThreads);
    };
  }

  // A stop is heard only by a server that runs.
  void AwaitRunning() { running_.WaitForNotification(); }
  // Ends listen_after_bind. Who is being served has his time, who waits to be
  // served is hung up on.
  void Stop() {
    stopping_ = true;
    stop();
  }

 private:
  bool process_and_close_socket(int socket) override {
    if (!stopping_) Serve(socket);
    shutdown(socket, SHUT_RDWR);
    return close(socket) == 0;
  }

  void Serve(int socket) {
    HttpConnection connection(socket, &clock_, kPatience, kMaxRequestBytes);
    bool client_closes = false;
    process_request(connection, /*close_connection=*/true, client_closes,
                    /*setup_request=*/nullptr);
  }

  SystemClock clock_;
  absl::Notification running_;
  std::atomic<bool> stopping_ = false;
};

void Answer(const absl::Status& status, const char* good,
            httplib::Response& response) {
  response.status = status.ok() ? 200 : 503;
  response.set_content(
      status.ok() ? absl::StrCat(good, "\n")
                  : absl::StrCat("not ", good, ": ", status.message(), "\n"),
      kPlainText);
}

void AddRoutes(httplib::Server& http, const AdminSources& sources) {
  http.Get("/metrics", [&](const auto&, httplib::Response& response) {
    response.set_content(sources.metrics(), kMetricsText);
  });
  http.Get("/livez", [&](const auto&, httplib::Response& response) {
    Answer(sources.alive(), "alive", response);
  });
  http.Get("/readyz", [&](const auto&, httplib::Response& response) {
    Answer(sources.ready(), "ready", response);
  });
  http.Post("/drop_prefixes", [&](const auto&, httplib::Response& response) {
    sources.drop_prefixes();
    response.set_content("dropped\n", kPlainText);
  });
  http.set_error_handler([](const auto&, httplib::Response& response) {
    if (response.status != 404) return;
    response.set_content(
        "there are /metrics, /livez, /readyz and POST /drop_prefixes\n",
        kPlainText);
  });
}

void Configure(httplib::Server& http) {
  http.set_tcp_nodelay(true);
  // The library's own options let two servers share a port unnoticed.
  http.set_socket_options([](int socket) {
    const int yes = 1;
    setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
}

// Returns the port, or -1.
int Bind(httplib::Server& http, const ListenAddress& address) {
  if (address.port == 0) return http.bind_to_any_port(address.host);
  return http.bind_to_port(address.host, address.port) ? address.port : -1;
}

}  // namespace

struct AdminServer::State {
  AdminSources sources;
  std::string address;
  HttpServer http;
  std::thread thread;
};

AdminServer::AdminServer(std::unique_ptr<State> state)
    : state_(std::move(state)) {}

absl::StatusOr<std::unique_ptr<AdminServer>> AdminServer::Listen(
    const std::string& address, AdminSources sources) {
  QUIRE_ASSIGN_OR_RETURN(ListenAddress parsed, ListenAddress::Parse(address));
  if (!parsed.unix_path.empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the admin port is TCP, \"", address, "\" is a Unix socket"));
  }
  QUIRE_RETURN_IF_ERROR(parsed.CheckCanListen());
  auto state = std::make_unique<State>();
  state->sources = std::move(sources);
  Configure(state->http);
  AddRoutes(state->http, state->sources);
  const int port = Bind(state->http, parsed);
  if (port < 0) {
    return absl::UnavailableError(
        absl::StrCat("cannot listen on ", parsed.ToString()));
  }
  parsed.port = static_cast<uint16_t>(port);
  state->address = parsed.ToString();
  state->thread =
      std::thread([http = &state->http] { http->listen_after_bind(); });
  state->http.AwaitRunning();
  return absl::WrapUnique(new AdminServer(std::move(state)));
}

AdminServer::~AdminServer() {
  state_->http.Stop();
  state_->thread.join();
}

const std::string& AdminServer::address() const { return state_->address; }

}  // namespace quire
