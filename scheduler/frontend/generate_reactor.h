#ifndef QUIRE_SCHEDULER_FRONTEND_GENERATE_REACTOR_H_
#define QUIRE_SCHEDULER_FRONTEND_GENERATE_REACTOR_H_

#include <cstdint>
#include <deque>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "grpcpp/support/server_callback.h"
#include "quire/v1/quire.grpc.pb.h"
#include "scheduler/engine/mailbox.h"
#include "scheduler/frontend/engine_port.h"
#include "scheduler/frontend/request_builder.h"
#include "scheduler/frontend/stream_limit.h"
#include "scheduler/frontend/task_pool.h"
#include "scheduler/frontend/tokenize_pool.h"

namespace quire {

// What all Generate calls share; outlives the calls.
struct GenerateEnvironment {
  const RequestBuilder* builder = nullptr;
  TokenizePool* tokenize_pool = nullptr;
  // Turns deltas into messages and starts writes, so that the engine thread
  // does neither for more than a few calls. Unbounded: no call has more than
  // one task in it.
  TaskPool* delivery = nullptr;
  EnginePort* engine = nullptr;
  StreamLimit* open_calls = nullptr;
};

// One Generate call: resolves and tokenizes the request, submits it and writes
// what the mailbox brings, one message at a time, until the engine closes it or
// the client goes away.
//
// Exactly one party at a time works on the call: a thread inside a method, a
// task in a pool, or gRPC with a write in flight. It holds the turn (`busy_`),
// and before it gives the turn back it looks whether the mailbox or a
// cancellation has something for it. Events that come while the turn is taken
// only leave their mark.
//
//   working -> idle      nothing to write
//   idle -> working      the mailbox has something, or the call is cancelled
//   working -> finished  refused, closed by the engine, or cancelled: the final
//                        status is on its way, and nothing more starts
//
// Owns itself until gRPC is done with it. The mailbox, which the engine may
// keep longer, refers to it weakly.
class GenerateReactor final
    : public grpc::ServerWriteReactor<v1::GenerateResponse>,
      public std::enable_shared_from_this<GenerateReactor> {
 public:
  // Takes over the call. `request` and `context` are gRPC's and live until
  // OnDone. Never blocks.
  static GenerateReactor* Start(const GenerateEnvironment* environment,
                                RequestId id, uint64_t random_seed,
                                const v1::GenerateRequest* request,
                                grpc::CallbackServerContext* context);

  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  GenerateReactor(const GenerateEnvironment* environment, RequestId id,
                  const v1::GenerateRequest* request,
                  grpc::CallbackServerContext* context);

  // These REQUIRE the turn.

  // The steps up to the engine.
  void Begin(uint64_t random_seed);
  void EncodeAndSubmit();
  void Submit();

  // Writes the next message, finishes the call, or gives the turn back.
  void WriteNext();
  // Fills the outbox. False: the mailbox was empty and the turn is given back.
  bool TakeMail();
  void FinishWith(const absl::Status& status);
  // The last message and OK in one.
  void WriteLast();

  // And these do not.

  // The mailbox has something where it had nothing. Called by the engine
  // thread, at any time.
  void Wake();
  // Tells the engine, once, unless it does not know the request yet.
  void CancelInEngine();
  bool IsCancelled();
  void MarkFinished();

  const GenerateEnvironment& environment_;
  const RequestId id_;
  const v1::GenerateRequest& request_;
  grpc::CallbackServerContext& context_;
  std::shared_ptr<GenerateReactor> self_;  // Until OnDone.
  std::shared_ptr<Mailbox> mailbox_;

  bool entered_ = false;  // The limit of open calls counts this one.

  // These belong to whoever has the turn.
  GenerationRequest resolved_;               // Until Submit.
  std::deque<v1::GenerateResponse> outbox_;  // The first is being written.
  // The engine has closed the mailbox: nothing follows the outbox but the
  // status.
  bool closed_ = false;
  absl::Status final_status_;

  absl::Mutex mutex_;
  bool busy_ ABSL_GUARDED_BY(mutex_) = true;
  bool submitted_ ABSL_GUARDED_BY(mutex_) = false;
  // By the client, its deadline, or a broken connection.
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  bool told_engine_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_FRONTEND_GENERATE_REACTOR_H_
