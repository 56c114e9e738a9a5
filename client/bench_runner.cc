#include "client/bench_runner.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "grpcpp/client_context.h"

namespace quire {
namespace {

using quire::v1::GenerateRequest;
using quire::v1::GenerateResponse;

constexpr absl::Duration kReportInterval = absl::Milliseconds(100);

GenerateRequest ToRequest(const WorkloadItem& item) {
  GenerateRequest request;
  request.mutable_token_ids()->mutable_ids()->Assign(item.prompt_ids.begin(),
                                                     item.prompt_ids.end());
  request.mutable_sampling()->set_temperature(0);
  request.mutable_stopping()->set_max_tokens(item.max_tokens);
  request.mutable_stopping()->set_ignore_eos(true);
  return request;
}

}  // namespace

// One call: starting -> reading (again and again) -> finishing -> done. Each
// event of the completion queue moves it on, and one is always outstanding
// until it is done.
class BenchRunner::Call {
 public:
  Call(const ServerConnection& server, const GenerateRequest& request,
       absl::Duration limit, grpc::CompletionQueue& queue, BenchRecord& record)
      : server_(server), record_(record) {
    LimitCall(context_, limit);
    reader_ = server.stub().PrepareAsyncGenerate(&context_, request, &queue);
    reader_->StartCall(this);
  }

  // Takes one event, at `now`. Returns whether the call is done.
  bool Advance(bool ok, absl::Duration now) {
    if (state_ == State::kFinishing) {
      record_.finish = now;
      record_.status = server_.ToStatus(status_, context_);
      reader_.reset();
      return true;
    }
    if (state_ == State::kReading && ok) TakeMessage(now);
    if (ok) {
      state_ = State::kReading;
      reader_->Read(&message_, this);
    } else {
      state_ = State::kFinishing;
      reader_->Finish(&status_, this);
    }
    return false;
  }

  // Tokens of the message that Advance took, once.
  size_t TakeNumTokens() { return std::exchange(num_tokens_, 0); }

 private:
  enum class State { kStarting, kReading, kFinishing };

  void TakeMessage(absl::Duration now) {
    num_tokens_ = message_.token_ids().size();
    if (num_tokens_ > 0) record_.token_times.push_back(now);
    if (!message_.has_usage()) return;
    record_.prompt_tokens = message_.usage().prompt_tokens();
    record_.cached_tokens = message_.usage().cached_prompt_tokens();
    record_.output_tokens = message_.usage().generated_tokens();
  }

  const ServerConnection& server_;
  BenchRecord& record_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientAsyncReader<GenerateResponse>> reader_;
  GenerateResponse message_;
  grpc::Status status_;
  State state_ = State::kStarting;
  size_t num_tokens_ = 0;
};

BenchRunner::BenchRunner(const ServerConnection& server, const Clock& clock,
                         const std::vector<WorkloadItem>& workload,
                         Options options)
    : server_(server),
      clock_(clock),
      workload_(workload),
      options_(std::move(options)),
      records_(workload.size()) {}

BenchRunner::~BenchRunner() = default;

std::vector<BenchRecord> BenchRunner::Run() {
  start_ = clock_.Now();
  while (num_done_ < workload_.size()) {
    StartDueCalls();
    TakeEvents();
    Report();
  }
  wall_ = Elapsed();
  return std::move(records_);
}

bool BenchRunner::CanStart() const {
  const size_t in_flight = calls_.size() - num_done_;
  return calls_.size() < workload_.size() &&
         (options_.concurrency == 0 || in_flight < options_.concurrency);
}

void BenchRunner::StartDueCalls() {
  while (CanStart() && workload_[calls_.size()].arrival <= Elapsed()) {
    const WorkloadItem& item = workload_[calls_.size()];
    BenchRecord& record = records_[calls_.size()];
    record.arrival = item.arrival;
    record.start = Elapsed();
    calls_.push_back(std::make_unique<Call>(
        server_, ToRequest(item), options_.call_limit, queue_, record));
  }
}

// How long nothing but an event of a call can ask for attention.
absl::Duration BenchRunner::NextWake() const {
  if (!CanStart()) return kReportInterval;
  return std::min(kReportInterval,
                  workload_[calls_.size()].arrival - Elapsed());
}

void BenchRunner::TakeEvents() {
  const auto deadline =
      std::chrono::system_clock::now() + absl::ToChronoNanoseconds(NextWake());
  void* tag = nullptr;
  bool ok = false;
  if (queue_.AsyncNext(&tag, &ok, deadline) !=
      grpc::CompletionQueue::GOT_EVENT) {
    return;
  }
  Call& call = *static_cast<Call*>(tag);
  if (call.Advance(ok, Elapsed())) ++num_done_;
  output_tokens_ += call.TakeNumTokens();
}

void BenchRunner::Report() const {
  if (!options_.report) return;
  options_.report({.done = num_done_,
                   .total = workload_.size(),
                   .output_tokens = output_tokens_,
                   .elapsed = Elapsed()});
}

}  // namespace quire
