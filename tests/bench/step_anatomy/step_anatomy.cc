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

#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "common/check.h"
#include "common/lock_checks.h"
#include "common/modelfile/model_files.h"
#include "tests/bench/step_anatomy/anatomy_loads.h"
#include "tests/bench/step_anatomy/measured_service.h"
#include "tests/bench/step_anatomy/worker_memory.h"
#include "worker/executor/thread_pool.h"
#include "worker/model/load_model.h"
#include "worker/model/model.h"
#include "worker/model/phase_times.h"

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

nlohmann::json Decode(AnatomyLoads& loads, bool quick) {
  nlohmann::json results = nlohmann::json::array();
  for (const int num_streams : {1, 8, 32, 64}) {
    const Anatomy anatomy(
        loads.Decode(num_streams, kDecodePrompt, quick ? 64 : 128));
    nlohmann::json result = anatomy.Describe();
    result.update({{"streams", num_streams},
                   {"step", anatomy.step()},
                   {"worker_idle", anatomy.step() - anatomy.worker()}});
    results.push_back(std::move(result));
  }
  return results;
}

nlohmann::json LoneStep(AnatomyLoads& loads, bool quick) {
  const Anatomy anatomy(loads.OneByOne(/*prompt_length=*/1, quick ? 20 : 100));
  nlohmann::json result = anatomy.Describe();
  result["send"] = anatomy.round_trip() - anatomy.worker();
  return result;
}

nlohmann::json Prefill(AnatomyLoads& loads, bool quick) {
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
  AnatomyLoads loads(&service, (*files)->config().vocabulary_size);
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
