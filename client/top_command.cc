#include "client/top_command.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "client/command_line_error.h"
#include "client/connection_flags.h"
#include "client/live_screen.h"
#include "client/message_json.h"
#include "client/top_screen.h"
#include "common/status_macros.h"
#include "grpcpp/client_context.h"

ABSL_FLAG(absl::Duration, interval, absl::Milliseconds(500),
          "Time between two pictures, 50ms to 60s.");
ABSL_FLAG(bool, once, false,
          "Prints one picture, without escape codes; its speed is that of one "
          "interval. With --json: at once.");

namespace quire {
namespace {

using quire::v1::WatchBlocksResponse;

constexpr char kDetails[] =
    "One character is a block of the KV cache, or several where they would "
    "not\nfit: its colour says which request holds it, its height how full it "
    "is.\nq leaves. With --json each picture is a line.\n";

constexpr absl::Duration kMinInterval = absl::Milliseconds(50);
constexpr absl::Duration kMaxInterval = absl::Seconds(60);
constexpr absl::Duration kKeyPoll = absl::Milliseconds(100);

// The stream of pictures. Cancel is thread-safe.
class BlockStream {
 public:
  BlockStream(const ServerConnection& server, absl::Duration interval)
      : server_(server) {
    LimitCall(context_, CallLimitFromFlags());
    quire::v1::WatchBlocksRequest request;
    request.set_interval_ms(
        static_cast<uint32_t>(absl::ToInt64Milliseconds(interval)));
    reader_ = server.stub().WatchBlocks(&context_, request);
  }

  // Hands over pictures until `take` returns false, Cancel is called, or the
  // server ends the stream, which is an error.
  absl::Status ForEach(
      const std::function<bool(const WatchBlocksResponse&)>& take) {
    WatchBlocksResponse frame;
    while (reader_->Read(&frame)) {
      if (!take(frame)) Cancel();
    }
    const grpc::Status status = reader_->Finish();
    if (cancelled_) return absl::OkStatus();
    if (!status.ok()) return server_.ToStatus(status, context_);
    return absl::UnavailableError("the server ended the stream");
  }

  void Cancel() {
    cancelled_ = true;
    context_.TryCancel();
  }

 private:
  const ServerConnection& server_;
  grpc::ClientContext context_;
  std::atomic<bool> cancelled_ = false;
  std::unique_ptr<grpc::ClientReader<WatchBlocksResponse>> reader_;
};

// Calls `leave` when the user presses a key that means it; for as long as it
// lives.
class LeaveKey {
 public:
  LeaveKey(LiveScreen& screen, std::function<void()> leave)
      : thread_([this, &screen, leave = std::move(leave)] {
          while (!stopping_) {
            if (Leaves(screen.WaitForKey(kKeyPoll))) leave();
          }
        }) {}

  ~LeaveKey() {
    stopping_ = true;
    thread_.join();
  }

 private:
  static bool Leaves(std::optional<char> key) {
    constexpr char kCtrlC = 3;
    constexpr char kCtrlD = 4;
    return key == 'q' || key == 'Q' || key == kCtrlC || key == kCtrlD;
  }

  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

absl::Status ShowOnce(BlockStream& stream, TopView view, Console& console) {
  const ScreenSize size = LiveScreen::Size();
  bool is_first = true;
  return stream.ForEach([&](const WatchBlocksResponse& frame) {
    view.previous = std::exchange(view.frame, frame);
    // Of one frame alone no speed is known.
    if (std::exchange(is_first, false)) return true;
    for (const ScreenLine& line : TopScreen(view, size)) {
      console.out << line.Render(size.columns, /*with_styles=*/false) << "\n";
    }
    return false;
  });
}

absl::Status ShowLive(BlockStream& stream, TopView view) {
  LiveScreen screen;
  const LeaveKey key(screen, [&stream] { stream.Cancel(); });
  return stream.ForEach([&](const WatchBlocksResponse& frame) {
    view.previous = std::exchange(view.frame, frame);
    const ScreenSize size = LiveScreen::Size();
    screen.Draw(TopScreen(view, size), size);
    return true;
  });
}

absl::Status ShowJson(BlockStream& stream, Console& console) {
  const bool once = absl::GetFlag(FLAGS_once);
  return stream.ForEach([&](const WatchBlocksResponse& frame) {
    console.out << ToLine(MessageToJson(frame)) << std::endl;
    return !once && console.out.good();
  });
}

// Within the server's limits, so that it fits the message's field.
absl::StatusOr<absl::Duration> IntervalFromFlags() {
  const absl::Duration interval = absl::GetFlag(FLAGS_interval);
  if (interval >= kMinInterval && interval <= kMaxInterval) return interval;
  return CommandLineError(absl::StrCat("--interval is ",
                                       absl::FormatDuration(interval),
                                       ", must be 50ms to 60s"));
}

absl::Status Top(const std::vector<std::string>&, Console& console) {
  QUIRE_ASSIGN_OR_RETURN(const absl::Duration interval, IntervalFromFlags());
  QUIRE_ASSIGN_OR_RETURN(const ServerConnection server, ConnectionFromFlags());
  BlockStream stream(server, interval);
  const TopView view = {.title = server.address()};
  if (JsonFromFlags()) return ShowJson(stream, console);
  if (absl::GetFlag(FLAGS_once)) return ShowOnce(stream, view, console);
  if (console.in_is_terminal && console.out_is_terminal) {
    return ShowLive(stream, view);
  }
  return absl::FailedPreconditionError(
      "quire top needs a terminal; --once and --json do not");
}

}  // namespace

Command TopCommand() {
  return {"top",
          "",
          "shows the blocks of the KV cache, live",
          kDetails,
          WithConnectionFlags({"interval", "once"}),
          Top};
}

}  // namespace quire
