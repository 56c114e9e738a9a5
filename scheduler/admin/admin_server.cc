#include "scheduler/admin/admin_server.h"

#include <sys/socket.h>

#include <thread>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "httplib.h"
#include "scheduler/listen_address.h"

namespace quire {
namespace {

constexpr size_t kNumThreads = 8;
constexpr time_t kPatienceSeconds = 2;
constexpr size_t kMaxBodyBytes = 64 << 10;  // Nobody needs one.

constexpr char kPlainText[] = "text/plain; charset=utf-8";
constexpr char kMetricsText[] = "text/plain; version=0.0.4; charset=utf-8";

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
  http.set_error_handler([](const auto&, httplib::Response& response) {
    if (response.status != 404) return;
    response.set_content("there are /metrics, /livez and /readyz\n",
                         kPlainText);
  });
}

void Configure(httplib::Server& http) {
  http.new_task_queue = [] { return new httplib::ThreadPool(kNumThreads); };
  http.set_keep_alive_timeout(kPatienceSeconds);
  http.set_read_timeout(kPatienceSeconds);
  http.set_write_timeout(kPatienceSeconds);
  http.set_payload_max_length(kMaxBodyBytes);
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
  httplib::Server http;
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
  // stop() is heard only by a server that runs.
  while (!state->http.is_running()) std::this_thread::yield();
  return absl::WrapUnique(new AdminServer(std::move(state)));
}

AdminServer::~AdminServer() {
  state_->http.stop();
  state_->thread.join();
}

const std::string& AdminServer::address() const { return state_->address; }

}  // namespace quire
