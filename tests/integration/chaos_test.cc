// Random clients against a real worker: they cancel, time out and vanish, ask
// for several sequences, begin alike, and now and then the worker dies. Nobody
// who stays gets anything but what it would get alone, and in the end every
// block is free or cached. QUIRE_CHAOS_REQUESTS sets how many requests.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "grpcpp/client_context.h"
#include "gtest/gtest.h"
#include "tests/testing/generate_client.h"
#include "tests/testing/reference_prompts.h"
#include "tests/testing/test_cluster.h"

namespace quire {
namespace {

using quire::v1::GenerateRequest;
using quire::v1::GenerateResponse;

constexpr int kNumClients = 12;
constexpr int kNumKinds = 24;
constexpr char kModel[] = "llama3rope_f32";

int NumRequests() {
  const char* const wanted = std::getenv("QUIRE_CHAOS_REQUESTS");
  return wanted != nullptr ? std::atoi(wanted) : 600;
}

// One of a few requests, so that each can be compared with itself alone.
GenerateRequest MakeRequest(int kind) {
  std::mt19937_64 common(kind % 3);
  std::mt19937_64 own(kind);
  std::vector<Token> prompt;
  for (uint64_t i = common() % 70; i > 0; --i) {
    prompt.push_back(static_cast<Token>(3 + common() % 500));
  }
  for (uint64_t i = 1 + own() % 60; i > 0; --i) {
    prompt.push_back(static_cast<Token>(3 + own() % 500));
  }
  GenerateRequest request = GreedyRequest(prompt, 1 + own() % 40);
  request.mutable_output()->clear_prompt_logprobs();
  request.mutable_sampling()->set_temperature(1);
  request.mutable_sampling()->set_seed(kind);
  request.set_n(1 + own() % 3);
  return request;
}

// By sequence: concatenated ids, and the bits of log-probabilities.
using Answer = std::map<uint32_t, Generated>;

void Append(const GenerateResponse& message, Answer& answer) {
  Generated& sequence = answer[message.sequence()];
  sequence.ids.insert(sequence.ids.end(), message.token_ids().begin(),
                      message.token_ids().end());
  for (const auto& scores : message.logprobs()) {
    sequence.logprobs.push_back(scores.logprob());
  }
}

bool Same(const Answer& a, const Answer& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [sequence, generated] : a) {
    if (!SameBits(generated, b.at(sequence))) return false;
  }
  return true;
}

class ChaosTest : public testing::Test {
 protected:
  ChaosTest() : cluster_(Options(), {}) {
    for (int kind = 0; kind < kNumKinds; ++kind) {
      GenerateRequest request = MakeRequest(kind);
      request.mutable_cache()->set_bypass(true);
      Answer answer;
      const Generated whole = Generate(
          cluster_.stub(), request,
          [&](const GenerateResponse& message) { Append(message, answer); });
      EXPECT_TRUE(whole.status.ok()) << whole.status.error_message();
      alone_.push_back(std::move(answer));
    }
  }

  static ServerOptions Options() {
    ServerOptions options;
    options.model = TinyModelPath(kModel);
    options.num_blocks = 60;  // Too few for all: some are preempted.
    options.engine.max_step_tokens = 48;
    return options;
  }

  // A client that may lose patience after some messages or some time.
  void ServeOne(std::mt19937_64& random) {
    const int kind = static_cast<int>(random() % kNumKinds);
    const uint64_t mood = random() % 8;
    grpc::ClientContext context;
    if (mood == 0) {
      context.set_deadline(std::chrono::system_clock::now() +
                           std::chrono::milliseconds(random() % 30));
    }
    const std::unique_ptr<quire::v1::Quire::Stub> stub =
        mood == 1 ? cluster_.NewClient() : nullptr;
    quire::v1::Quire::StubInterface& server =
        stub != nullptr ? *stub : cluster_.stub();
    const auto reader = server.Generate(&context, MakeRequest(kind));
    Answer answer;
    GenerateResponse message;
    int patience = mood <= 2 ? static_cast<int>(random() % 6) : 1 << 20;
    while (patience-- > 0 && reader->Read(&message)) Append(message, answer);
    if (mood >= 1 && mood <= 2) context.TryCancel();
    if (reader->Finish().ok() && mood > 2) {
      ++num_served_;
      EXPECT_TRUE(Same(answer, alone_[kind])) << "kind " << kind;
    } else {
      EXPECT_LE(mood, 2u) << "one that stayed was not served";
    }
  }

  TestCluster cluster_;
  std::vector<Answer> alone_;
  std::atomic<int> num_left_ = NumRequests();
  std::atomic<int> num_served_ = 0;
};

TEST_F(ChaosTest, EveryBlockIsFreeOrCachedInTheEnd) {
  std::vector<std::thread> clients;
  for (int i = 0; i < kNumClients; ++i) {
    clients.emplace_back([this, i] {
      std::mt19937_64 random(i);
      while (num_left_-- > 0) ServeOne(random);
    });
  }
  const int every = std::max(1, NumRequests() / 4);
  for (int strike = 3; strike > 0; --strike) {
    while (num_left_ > strike * every) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    cluster_.KillWorker();
    cluster_.StartWorker();
  }
  for (std::thread& client : clients) client.join();
  EXPECT_GT(num_served_, NumRequests() / 3);
  const quire::v1::StatusResponse status = cluster_.WaitUntilIdle();
  EXPECT_EQ(status.blocks().active(), 0u);
  EXPECT_EQ(status.blocks().free() + status.blocks().cached(),
            status.blocks().total());
  EXPECT_GT(cluster_.Metric("quire_prefix_hit_tokens_total"), 0);
  EXPECT_EQ(cluster_.Metric("quire_consistency_violations_total"), 0);
}

}  // namespace
}  // namespace quire
