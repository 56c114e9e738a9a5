#include "tests/bench/step_anatomy/anatomy_loads.h"

#include <algorithm>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/check.h"
#include "common/ids.h"
#include "tests/testing/generate_client.h"

namespace quire {
namespace {

// How many tokens each stream of a load has got. Thread-safe.
class Progress {
 public:
  explicit Progress(int num_streams) : tokens_(num_streams) {}

  void Advance(int stream, int num_tokens) {
    absl::MutexLock lock(&mutex_);
    tokens_[stream] += num_tokens;
  }
  // Until every stream has so many.
  void AwaitAll(int num_tokens) const {
    Await([&] {
      mutex_.AssertReaderHeld();
      return *std::min_element(tokens_.begin(), tokens_.end()) >= num_tokens;
    });
  }
  // Until some stream has.
  void AwaitFirst(int num_tokens) const {
    Await([&] {
      mutex_.AssertReaderHeld();
      return *std::max_element(tokens_.begin(), tokens_.end()) >= num_tokens;
    });
  }

 private:
  template <typename Condition>
  void Await(const Condition& condition) const {
    mutex_.LockWhen(absl::Condition(&condition));
    mutex_.Unlock();
  }

  mutable absl::Mutex mutex_;
  std::vector<int> tokens_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace

quire::v1::GenerateRequest AnatomyLoads::MakeRequest(int prompt_length,
                                                     int num_tokens) {
  std::uniform_int_distribution<Token> token(
      0, static_cast<Token>(vocabulary_size_ - 1));
  std::vector<Token> prompt(prompt_length);
  for (Token& t : prompt) t = token(random_);
  quire::v1::GenerateRequest request = GreedyRequest(prompt, num_tokens);
  request.clear_output();
  return request;
}

Counters AnatomyLoads::Decode(int num_streams, int prompt_length,
                              int num_tokens) {
  Progress progress(num_streams);
  std::vector<std::thread> clients;
  clients.reserve(num_streams);
  for (int i = 0; i < num_streams; ++i) {
    clients.emplace_back(
        [this, &progress, i, request = MakeRequest(prompt_length, num_tokens)] {
          const Generated answer =
              Generate(service_->stub(), request, [&](const auto& response) {
                progress.Advance(i, response.token_ids_size());
              });
          QUIRE_CHECK(answer.status.ok());
        });
  }
  progress.AwaitAll(2);
  const Counters before = service_->Read();
  progress.AwaitFirst(num_tokens - 1);
  const Counters after = service_->Read();
  for (std::thread& client : clients) client.join();
  return Difference(before, after);
}

Counters AnatomyLoads::OneByOne(int prompt_length, int num_requests) {
  const Counters before = service_->Read();
  for (int i = 0; i < num_requests; ++i) {
    QUIRE_CHECK(
        Generate(service_->stub(), MakeRequest(prompt_length, 1)).status.ok());
  }
  return Difference(before, service_->Read());
}

}  // namespace quire
