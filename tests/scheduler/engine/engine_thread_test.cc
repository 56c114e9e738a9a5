// The engine on its own thread, with clients and ranks on others. Links no
// gRPC, so that it can run under the thread sanitizer.

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "common/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scheduler/engine/engine.h"
#include "tests/scheduler/engine/ask.h"
#include "tests/testing/puppets/puppet_group.h"

namespace quire {
namespace {

// A client on the thread that calls it: notices come from the engine thread,
// the mailbox is emptied here.
class WaitingClient {
 public:
  const std::shared_ptr<Mailbox>& mailbox() const { return mailbox_; }
  const std::vector<Token>& tokens() const { return tokens_; }

  // Takes all there is until the end comes; returns how the request ended.
  absl::Status WaitForEnd() {
    for (;;) {
      bell_->Wait();
      const Mailbox::Contents contents = mailbox_->TakeAll();
      for (const SequenceDelta& delta : contents.deltas) {
        tokens_.insert(tokens_.end(), delta.tokens.begin(), delta.tokens.end());
      }
      if (contents.closed) return contents.status;
    }
  }

 private:
  // Shared with the mailbox: a notice may come after the end was taken.
  struct Bell {
    absl::Mutex mutex;
    absl::CondVar changed;
    bool rung ABSL_GUARDED_BY(mutex) = false;

    void Ring() {
      absl::MutexLock lock(&mutex);
      rung = true;
      changed.Signal();
    }
    void Wait() {
      absl::MutexLock lock(&mutex);
      while (!rung) changed.Wait(&mutex);
      rung = false;
    }
  };

  const std::shared_ptr<Bell> bell_ = std::make_shared<Bell>();
  const std::shared_ptr<Mailbox> mailbox_ =
      std::make_shared<Mailbox>([bell = bell_] { bell->Ring(); });
  std::vector<Token> tokens_;
};

class EngineThreadTest : public testing::Test {
 protected:
  void SetUp() override {
    engine_->Start();
    group_ = std::make_shared<PuppetGroup>(shape_, engine_.get());
    engine_->OnGroupReady(shape_, group_);
    for (uint32_t rank = 0; rank < shape_.num_ranks; ++rank) {
      ranks_.emplace_back([this, rank] {
        while (group_->WaitForPlan(Rank(rank))) group_->Answer(Rank(rank));
      });
    }
  }
  void TearDown() override {
    group_->StopWaiting();
    for (std::thread& rank : ranks_) rank.join();
    EXPECT_THAT(group_->violations(), testing::IsEmpty());
  }

  RequestId NextId() { return RequestId(++last_id_); }
  void ServeOne(uint64_t seed) {
    Ask ask = {.prompt = MakePrompt(seed, 3 + seed % 9), .max_tokens = 7};
    const std::vector<Token> alone = AnswerAlone(ask)[0];
    WaitingClient client;
    engine_->Submit(MakeRequest(NextId(), std::move(ask), client.mailbox()));
    const absl::Status status = client.WaitForEnd();
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(client.tokens(), alone);
  }
  void CancelOne(uint64_t seed) {
    WaitingClient client;
    const RequestId id = NextId();
    engine_->Submit(
        MakeRequest(id, {.prompt = MakePrompt(seed, 5), .max_tokens = 60},
                    client.mailbox()));
    engine_->Cancel(id);
    EXPECT_EQ(client.WaitForEnd().code(), absl::StatusCode::kCancelled);
  }

  const GroupShape shape_ = {.epoch = Epoch(1),
                             .num_ranks = 2,
                             .num_blocks = 20,
                             .block_size = 4,
                             .max_step_rows = 16};
  SystemClock clock_;
  MetricRegistry metrics_;
  std::unique_ptr<Engine> engine_ = std::make_unique<Engine>(
      EngineOptions{.check_consistency_every_step = true}, &clock_, &metrics_);
  std::shared_ptr<PuppetGroup> group_;
  std::vector<std::thread> ranks_;
  std::atomic<uint64_t> last_id_ = 0;
};

TEST_F(EngineThreadTest, ServesManyClientsAtOnce) {
  std::vector<std::thread> clients;
  for (uint64_t c = 0; c < 4; ++c) {
    clients.emplace_back([this, c] {
      for (uint64_t i = 0; i < 25; ++i) {
        ServeOne(100 * c + i);
        if (i % 5 == 0) CancelOne(i);
      }
    });
  }
  for (int i = 0; i < 50; ++i) {
    const EngineSnapshot snapshot = engine_->Snapshot(/*with_blocks=*/true);
    EXPECT_LE(snapshot.num_running, 4u);
    EXPECT_FALSE(engine_->IsStuck(absl::Minutes(5)));
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(engine_->Snapshot(/*with_blocks=*/false).blocks.active, 0u);
}

TEST_F(EngineThreadTest, DrainsAndCallsBack) {
  absl::Notification drained;
  std::thread client([this] { ServeOne(1); });
  client.join();
  engine_->Drain(absl::InfiniteFuture(), [&] { drained.Notify(); });
  drained.WaitForNotification();
}

TEST_F(EngineThreadTest, ADeadlinePassesWithoutAnyEvent) {
  WaitingClient client;
  engine_->OnGroupLost(Epoch(1));
  engine_->Submit(
      MakeRequest(NextId(), {.deadline = clock_.Now() + absl::Milliseconds(5)},
                  client.mailbox()));
  EXPECT_EQ(client.WaitForEnd().code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(EngineThreadTest, ClosesWhatIsOpenWhenItGoes) {
  WaitingClient client;
  engine_->OnGroupLost(Epoch(1));
  engine_->Submit(MakeRequest(NextId(), {}, client.mailbox()));
  group_->StopWaiting();
  engine_.reset();
  EXPECT_EQ(client.WaitForEnd().code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace quire
