#include "worker/link/scheduler_link.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/clock.h"
#include "gtest/gtest.h"
#include "tests/testing/fake_model.h"
#include "tests/testing/plan_writer.h"
#include "tests/worker/link/scripted_scheduler.h"

namespace quire {
namespace {

using testing::AttachPuppet;
using testing::FakeModel;
using testing::NewSequenceOf;
using testing::PlanWriter;
using testing::ScriptedScheduler;
using worker::v1::Hello;
using worker::v1::StepPlan;
using worker::v1::StepResult;
using worker::v1::WorkerMessage;

constexpr char kAnyPort[] = "127.0.0.1:0";

// Where a Unix socket can be: not below $TEST_TMPDIR, since its path may have
// 107 bytes at most.
class SocketFolder {
 public:
  SocketFolder() { QUIRE_CHECK(mkdtemp(path_) != nullptr); }
  ~SocketFolder() { std::filesystem::remove_all(path_); }

  std::string address() const { return absl::StrCat("unix:", path_, "/s"); }

 private:
  char path_[32] = "/tmp/quire_link_XXXXXX";
};

class SchedulerLinkTest : public ::testing::Test {
 protected:
  ~SchedulerLinkTest() override { StopLink(); }

  void Play(std::vector<ScriptedScheduler::Script> scripts) {
    scheduler_ = std::make_unique<ScriptedScheduler>(kAnyPort, scripts);
    StartLink(scheduler_->address());
    scheduler_->AwaitEnd();
  }

  void StartLink(const std::string& address) {
    Hello hello;
    hello.set_model_fingerprint("0123456789abcdef");
    hello.set_kv_dtype("bf16");
    link_ = std::make_unique<SchedulerLink>(
        SchedulerLinkOptions{.address = address,
                             .redial = {.first = absl::Milliseconds(1),
                                        .longest = absl::Milliseconds(2)}},
        hello, &executor_);
    thread_ = std::thread([this] { link_->Run(); });
  }

  void StopLink() {
    if (!thread_.joinable()) return;
    link_->Stop();
    thread_.join();
  }

  static StepPlan FirstPlan(uint64_t epoch) {
    return PlanWriter(1, epoch)
        .Add(NewSequenceOf(7, {1, 2, 3}, {5}))
        .Run({.sequence = 7, .num_rows = 3, .samples = true})
        .plan();
  }

  // Shakes hands with the worker.
  static void Greet(AttachPuppet* worker, uint64_t epoch) {
    EXPECT_TRUE(worker->Read().has_hello());
    EXPECT_TRUE(worker->Welcome(epoch, 4, 64, 32));
    const WorkerMessage ready = worker->Read();
    EXPECT_TRUE(ready.has_ready());
    EXPECT_EQ(ready.ready().epoch(), epoch);
  }

  static StepResult Ask(AttachPuppet* worker, const StepPlan& plan) {
    EXPECT_TRUE(worker->Send(plan));
    const WorkerMessage answer = worker->Read();
    EXPECT_TRUE(answer.has_result());
    return answer.result();
  }

  FakeModel model_{/*vocabulary_size=*/64, /*context_length=*/64};
  ThreadPool pool_{1};
  SingleRankCommunicator communicator_;
  SystemClock clock_;
  Executor executor_{&model_,
                     &pool_,
                     &communicator_,
                     &clock_,
                     {.kv_cache_bytes = 1 << 20, .host_kv_bytes = 1 << 20}};
  std::unique_ptr<ScriptedScheduler> scheduler_;
  std::unique_ptr<SchedulerLink> link_;
  std::thread thread_;
};

TEST_F(SchedulerLinkTest, HelloSaysWhatTheWorkerHolds) {
  Play({[](AttachPuppet* worker) {
    const WorkerMessage message = worker->Read();
    EXPECT_EQ(message.hello().model_fingerprint(), "0123456789abcdef");
    EXPECT_EQ(message.hello().kv_dtype(), "bf16");
    return grpc::Status::OK;
  }});
}

TEST_F(SchedulerLinkTest, PlansAreAnsweredInOrder) {
  Play({[](AttachPuppet* worker) {
    Greet(worker, 3);
    EXPECT_TRUE(worker->Send(FirstPlan(3)));
    EXPECT_TRUE(worker->Send(PlanWriter(2, 3).Release(7).plan()));
    const StepResult first = worker->Read().result();
    EXPECT_EQ(first.step_id(), 1u);
    EXPECT_EQ(first.status_code(), 0u) << first.status_message();
    EXPECT_EQ(first.sampled().token_size(), 1);
    const StepResult second = worker->Read().result();
    EXPECT_EQ(second.step_id(), 2u);
    EXPECT_EQ(second.sampled().token_size(), 0);
    return grpc::Status::OK;
  }});
}

TEST_F(SchedulerLinkTest, FailureIsAnsweredWithItsStatusAndNothingElse) {
  Play({[](AttachPuppet* worker) {
    Greet(worker, 3);
    const StepResult result = Ask(worker, PlanWriter(1, 3).Release(9).plan());
    EXPECT_EQ(result.step_id(), 1u);
    EXPECT_EQ(result.epoch(), 3u);
    EXPECT_EQ(result.status_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_EQ(result.status_message(), "sequence 9: released, but not held");
    EXPECT_FALSE(result.has_sampled());
    EXPECT_EQ(Ask(worker, PlanWriter(2, 3).plan()).status_code(),
              grpc::StatusCode::FAILED_PRECONDITION);
    return grpc::Status::OK;
  }});
}

TEST_F(SchedulerLinkTest, WorkerDialsAgainAndStartsAfreshWhenTheStreamEnds) {
  const auto serve = [](uint64_t epoch) {
    return [epoch](AttachPuppet* worker) {
      Greet(worker, epoch);
      // The same sequence anew: the former epoch's is forgotten.
      EXPECT_EQ(Ask(worker, FirstPlan(epoch)).status_message(), "");
      return grpc::Status(grpc::StatusCode::UNAVAILABLE, "the epoch is over");
    };
  };
  Play({serve(1), serve(2), serve(5)});
}

TEST_F(SchedulerLinkTest, WorkerKeepsTryingWhenItIsRefused) {
  const auto refuse = [](AttachPuppet* worker) {
    EXPECT_TRUE(worker->Read().has_hello());
    return grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, "another model");
  };
  Play({refuse, refuse, [](AttachPuppet* worker) {
          Greet(worker, 1);
          return grpc::Status::OK;
        }});
}

TEST_F(SchedulerLinkTest, WorkerLeavesWhenItCannotHoldTheCache) {
  Play({[](AttachPuppet* worker) {
          EXPECT_TRUE(worker->Read().has_hello());
          EXPECT_TRUE(worker->Welcome(1, 4, /*num_blocks=*/1 << 30, 32));
          EXPECT_FALSE(worker->Read().has_ready());
          return grpc::Status::OK;
        },
        [](AttachPuppet* worker) {
          Greet(worker, 2);
          return grpc::Status::OK;
        }});
}

TEST_F(SchedulerLinkTest, HostBlocksAreThoseOfTheWelcome) {
  Play({[](AttachPuppet* worker) {
    EXPECT_TRUE(worker->Read().has_hello());
    EXPECT_TRUE(worker->Welcome(1, 4, 64, 32, /*num_host_blocks=*/2));
    EXPECT_TRUE(worker->Read().has_ready());
    StepPlan plan = PlanWriter(1).SwapOut(0, 1).plan();
    EXPECT_EQ(Ask(worker, plan).status_code(), 0u);
    plan = PlanWriter(2).SwapOut(0, 2).plan();
    EXPECT_EQ(Ask(worker, plan).status_message(),
              "block 0 and host block 2 are swapped, there are 64 and 2");
    return grpc::Status::OK;
  }});
}

TEST_F(SchedulerLinkTest, WorkerLeavesWhenTheSchedulerBreaksTheProtocol) {
  Play({[](AttachPuppet* worker) {
          EXPECT_TRUE(worker->Read().has_hello());
          EXPECT_TRUE(worker->Send(FirstPlan(1)));
          EXPECT_FALSE(worker->Read().has_ready());
          return grpc::Status::OK;
        },
        [](AttachPuppet* worker) {
          Greet(worker, 1);
          EXPECT_TRUE(worker->Welcome(2, 4, 64, 32));
          EXPECT_FALSE(worker->Read().has_result());
          return grpc::Status::OK;
        }});
}

TEST_F(SchedulerLinkTest, LargePlansArrive) {
  Play({[](AttachPuppet* worker) {
    Greet(worker, 1);
    StepPlan plan = PlanWriter(1).plan();
    // Ten megabytes of releases; refused, but read.
    for (uint64_t i = 0; i < 1'100'000; ++i) plan.add_released(~i);
    EXPECT_EQ(Ask(worker, plan).status_code(),
              grpc::StatusCode::INVALID_ARGUMENT);
    return grpc::Status::OK;
  }});
}

TEST_F(SchedulerLinkTest, StopEndsAWaitForPlans) {
  absl::Notification is_attached;
  scheduler_ = std::make_unique<ScriptedScheduler>(
      kAnyPort,
      std::vector<ScriptedScheduler::Script>{[&](AttachPuppet* worker) {
        Greet(worker, 1);
        is_attached.Notify();
        EXPECT_FALSE(worker->Read().has_result());
        return grpc::Status::OK;
      }});
  StartLink(scheduler_->address());
  is_attached.WaitForNotification();
  StopLink();
  scheduler_->AwaitEnd();
}

TEST_F(SchedulerLinkTest, StopEndsAttemptsToReachNobody) {
  StartLink(SocketFolder().address());
  StopLink();
}

TEST_F(SchedulerLinkTest, StopBeforeRunIsHeeded) {
  SchedulerLink link({.address = "127.0.0.1:1"}, Hello(), &executor_);
  link.Stop();
  link.Run();
}

TEST_F(SchedulerLinkTest, WorkerMayStartBeforeTheScheduler) {
  const SocketFolder folder;
  StartLink(folder.address());
  scheduler_ = std::make_unique<ScriptedScheduler>(
      folder.address(),
      std::vector<ScriptedScheduler::Script>{[](AttachPuppet* worker) {
        Greet(worker, 1);
        return grpc::Status::OK;
      }});
  scheduler_->AwaitEnd();
}

}  // namespace
}  // namespace quire
