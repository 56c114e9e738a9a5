// step_anatomy MODEL [--quick]: where the time of a service's steps goes, and
// what memory its worker takes, as one JSON object.
//
// Loads: "decode" of 1, 8, 32 and 64 streams with prompts of 200 tokens, while
// all of them run; "prefill", prompts one at a time, an answer of one token;
// "lone_step", the same with a prompt of one token. Figures are means of a
// step, in microseconds:
//
//   scheduler      plan, commit and publish, beside the worker's work
//   worker         prepare, swap, execute, sample
//   execute        the same time by kind of kernel
//   worker_idle    of decode: a step less the worker's work, which is what is
//                  not hidden of everything else
//   send           where one step at a time is in flight: the round trip of a
//                  plan less the worker's work

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "common/check.h"
#include "common/lock_checks.h"
#include "common/modelfile/model_files.h"
#include "tests/bench/step_anatomy/measured_service.h"
#include "tests/bench/step_anatomy/worker_memory.h"
#include "tests/testing/generate_client.h"
#include "worker/executor/thread_pool.h"
#include "worker/model/load_model.h"

namespace quire {
namespace {

constexpr uint32_t kBlockSize = 16;
// Enough for 64 streams, and fewer than all loads together write, so that every
// block becomes resident.
constexpr uint32_t kNumBlocks = 1600;
constexpr int kDecodePrompt = 200;

struct Arguments {
  std::string model;
  bool quick = false;
};

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

class Loads {
 public:
  // `vocabulary_size` is the model's.
  Loads(MeasuredService* service, int64_t vocabulary_size)
      : service_(service), last_token_(vocabulary_size - 1) {}

  // Readings from when all streams generate until the first one ends.
  Counters Decode(int num_streams, int num_tokens) {
    Progress progress(num_streams);
    std::vector<std::thread> clients;
    for (int i = 0; i < num_streams; ++i) {
      clients.emplace_back(
          [this, &progress, i, request = Request(kDecodePrompt, num_tokens)] {
            Send(request, [&](const quire::v1::GenerateResponse& response) {
              progress.Advance(i, response.token_ids_size());
            });
          });
    }
    progress.AwaitAll(2);
    const Counters before = service_->Read();
    progress.AwaitFirst(num_tokens - 1);
    const Counters after = service_->Read();
    for (std::thread& client : clients) client.join();
    return Difference(before, after);
  }

  // One request after the other, one token each.
  Counters OneByOne(int prompt_length, int num_requests) {
    const Counters before = service_->Read();
    for (int i = 0; i < num_requests; ++i) {
      Send(Request(prompt_length, 1), nullptr);
    }
    return Difference(before, service_->Read());
  }

 private:
  // A prompt that no other request has.
  quire::v1::GenerateRequest Request(int prompt_length, int num_tokens) {
    std::uniform_int_distribution<Token> token(0,
                                               static_cast<Token>(last_token_));
    std::vector<Token> prompt(prompt_length);
    for (Token& t : prompt) t = token(random_);
    quire::v1::GenerateRequest request = GreedyRequest(prompt, num_tokens);
    request.clear_output();
    return request;
  }

  template <typename OnMessage>
  void Send(const quire::v1::GenerateRequest& request,
            const OnMessage& on_message) {
    QUIRE_CHECK(Generate(service_->stub(), request, on_message).status.ok());
  }

  MeasuredService* const service_;
  const int64_t last_token_;
  std::mt19937 random_{1};
};

std::string Sum(const std::string& phase) {
  return "quire_step_phase_seconds_sum{phase=\"" + phase + "\"}";
}

// Means of a step.
class Anatomy {
 public:
  explicit Anatomy(Counters counters) : counters_(std::move(counters)) {}

  nlohmann::json Describe() const {
    nlohmann::json worker;
    for (const char* part : {"prepare", "swap", "execute", "sample"}) {
      worker[part] = PerStep(Sum(std::string("worker_") + part));
    }
    nlohmann::json scheduler;
    for (const char* part : {"plan", "commit", "publish"}) {
      scheduler[part] = PerStep(Sum(part));
    }
    return {{"steps", At("quire_steps_total")},
            {"rows", At("quire_step_tokens_sum") / At("quire_steps_total")},
            {"scheduler", scheduler},
            {"worker", worker},
            {"execute", DescribeExecute(worker["execute"])}};
  }
  double step() const { return PerStep("wall_seconds"); }
  double round_trip() const { return PerStep(Sum("round_trip")); }
  double worker() const {
    return PerStep(Sum("worker_prepare")) + PerStep(Sum("worker_swap")) +
           PerStep(Sum("worker_execute")) + PerStep(Sum("worker_sample"));
  }

 private:
  double At(const std::string& name) const { return counters_.at(name); }
  double PerStep(const std::string& name) const {
    return At(name) / At("quire_steps_total") * 1e6;
  }
  nlohmann::json DescribeExecute(double execute) const {
    nlohmann::json phases;
    double other = execute;
    for (const std::string name : kPhaseNames) {
      const double time =
          At("phase_seconds/" + name) / At("forward_passes") * 1e6;
      phases[name] = time;
      other -= time;
    }
    phases["other"] = other;
    return phases;
  }

  const Counters counters_;
};

nlohmann::json Decode(Loads& loads, bool quick) {
  nlohmann::json results = nlohmann::json::array();
  for (const int num_streams : {1, 8, 32, 64}) {
    const Anatomy anatomy(loads.Decode(num_streams, quick ? 64 : 128));
    nlohmann::json result = anatomy.Describe();
    result.update({{"streams", num_streams},
                   {"step", anatomy.step()},
                   {"worker_idle", anatomy.step() - anatomy.worker()}});
    results.push_back(std::move(result));
  }
  return results;
}

nlohmann::json LoneStep(Loads& loads, bool quick) {
  const Anatomy anatomy(loads.OneByOne(/*prompt_length=*/1, quick ? 20 : 100));
  nlohmann::json result = anatomy.Describe();
  result["send"] = anatomy.round_trip() - anatomy.worker();
  return result;
}

nlohmann::json Prefill(Loads& loads, bool quick) {
  nlohmann::json results = nlohmann::json::array();
  for (const int num_tokens : {512, 2048}) {
    nlohmann::json result =
        Anatomy(loads.OneByOne(num_tokens, quick ? 4 : 12)).Describe();
    result["tokens"] = num_tokens;
    results.push_back(std::move(result));
  }
  return results;
}

// The sizes that the worker knows its memory by.
struct WorkerSizes {
  int64_t packed_weights = 0;
  int64_t kv_pool = 0;
};

WorkerSizes SizesOf(const ModelFiles& files) {
  ThreadPool pool(/*num_threads=*/1);
  const auto model = LoadModel(files, {}, &pool);
  QUIRE_CHECK(model.ok());
  return {.packed_weights = (*model)->weight_bytes(),
          .kv_pool = (*model)->bytes_per_slot() * kBlockSize * kNumBlocks};
}

// REQUIRES: all blocks were written, which an eviction shows.
nlohmann::json Memory(const ModelFiles& files, const std::string& model,
                      const MeasuredService& service,
                      const MeasuredWorker& worker) {
  QUIRE_CHECK(service.Read().at("quire_block_evictions_total") > 0);
  const WorkerSizes sizes = SizesOf(files);
  const int64_t peak = PeakResidentBytes(worker.pid());
  const int64_t mapped = ResidentBytesOfFile(
      worker.pid(), std::filesystem::canonical(model).string());
  return {{"peak_bytes", peak},
          {"mapped_weights_bytes", mapped},
          {"packed_weights_bytes", sizes.packed_weights},
          {"kv_pool_bytes", sizes.kv_pool},
          {"beyond_these_bytes",
           peak - mapped - sizes.packed_weights - sizes.kv_pool}};
}

int Run(const Arguments& arguments) {
  MeasuredWorker worker(arguments.model);
  const auto files = ModelFiles::Open(arguments.model);
  if (!files.ok()) {
    std::cerr << files.status() << "\n";
    return 1;
  }
  MeasuredService service(arguments.model, kNumBlocks, &worker);
  Loads loads(&service, (*files)->config().vocabulary_size);
  LoneStep(loads, /*quick=*/true);  // Warms up.
  nlohmann::json result;
  result["lone_step"] = LoneStep(loads, arguments.quick);
  result["decode"] = Decode(loads, arguments.quick);
  result["prefill"] = Prefill(loads, arguments.quick);
  result["worker_memory"] = Memory(**files, arguments.model, service, worker);
  std::cout << result.dump(2) << "\n";
  return 0;
}

Arguments Parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--quick") {
      arguments.quick = true;
    } else {
      arguments.model = argument;
    }
  }
  return arguments;
}

}  // namespace
}  // namespace quire

int main(int argc, char** argv) {
  quire::LeaveLockChecksToTests();
  try {
    const quire::Arguments arguments = quire::Parse(argc, argv);
    if (!arguments.model.empty()) return quire::Run(arguments);
  } catch (const std::exception& error) {  // JSON and file libraries throw.
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::fprintf(stderr, "usage: step_anatomy MODEL [--quick]\n");
  return 2;
}
