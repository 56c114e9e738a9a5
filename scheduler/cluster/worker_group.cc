#include "scheduler/cluster/worker_group.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/control_characters.h"

namespace quire {
namespace {

// Connections that have not said Hello.
constexpr size_t kMaxStrangers = 256;
// Of what a worker says about its failure.
constexpr size_t kMaxFailureBytes = 200;
// Of any part of a step. More is nonsense, and would spoil sums for good.
constexpr uint64_t kMaxStepNs = uint64_t{24} * 60 * 60 * 1'000'000'000;

const char* Name(const worker::v1::WorkerMessage& message) {
  switch (message.message_case()) {
    case worker::v1::WorkerMessage::kHello:
      return "Hello";
    case worker::v1::WorkerMessage::kReady:
      return "Ready";
    case worker::v1::WorkerMessage::kResult:
      return "StepResult";
    case worker::v1::WorkerMessage::MESSAGE_NOT_SET:
      break;
  }
  return "an empty message";
}

WorkerInfo InfoOf(const worker::v1::Hello& hello, const std::string& peer) {
  WorkerInfo info;
  info.rank = Rank(hello.rank());
  info.instruction_set = hello.instruction_set();
  info.compute = hello.compute();
  info.kv_dtype = hello.kv_dtype();
  info.peer = peer;
  return info;
}

// Whether a rank says that another one is gone or did not come: of no request's
// doing, unlike other failures of a step.
bool IsLossOfAnother(const worker::v1::StepResult& result) {
  const auto code = static_cast<absl::StatusCode>(result.status_code());
  return code == absl::StatusCode::kUnavailable ||
         code == absl::StatusCode::kDeadlineExceeded;
}

uint64_t LongestNs(const worker::v1::StepTimings& timings) {
  return std::max(
      {timings.prepare_ns(), timings.execute_ns(), timings.sample_ns()});
}

}  // namespace

// Holds the mutex; what is to be logged is written when it is free again, since
// whoever reads the log may be slow.
class ABSL_SCOPED_LOCKABLE WorkerGroup::Lock {
 public:
  explicit Lock(WorkerGroup* group) ABSL_EXCLUSIVE_LOCK_FUNCTION(group->mutex_)
      : group_(group) {
    group_->mutex_.Lock();
  }
  ~Lock() ABSL_UNLOCK_FUNCTION() {
    const std::vector<LogLine> lines = std::exchange(group_->log_, {});
    group_->mutex_.Unlock();
    for (const LogLine& line : lines) Log(line.level, line.text);
  }

 private:
  WorkerGroup* const group_;
};

// Speaks for one epoch; of an ended one it does nothing.
class WorkerGroup::Link final : public GroupLink {
 public:
  Link(WorkerGroup* group, Epoch epoch) : group_(group), epoch_(epoch) {}
  void Dispatch(worker::v1::StepPlan& plan) override {
    group_->Dispatch(epoch_, plan);
  }
  void Abandon(const std::string& reason) override {
    group_->Abandon(epoch_, reason);
  }

 private:
  WorkerGroup* const group_;
  const Epoch epoch_;
};

WorkerGroup::WorkerGroup(WorkerGroupOptions options, const Clock* clock,
                         MetricRegistry* metrics, GroupObserver* observer)
    : options_(std::move(options)),
      clock_(clock),
      observer_(observer),
      metrics_(metrics, options_.terms.world_size) {}

void WorkerGroup::OnAttach(std::shared_ptr<WorkerConnection> connection) {
  const Lock lock(this);
  if (state_ == State::kClosed) {
    connection->End(absl::UnavailableError(end_reason_));
    return;
  }
  if (strangers_.size() == kMaxStrangers) {
    EndOldestStranger(absl::UnavailableError(absl::StrCat(
        "no Hello yet, and ", kMaxStrangers, " connections came later")));
  }
  strangers_.push_back({std::move(connection), clock_->Now()});
}

void WorkerGroup::OnMessage(const WorkerConnection& connection,
                            worker::v1::WorkerMessage& message) {
  const bool has_result = message.has_result();
  Handle(connection, message);
  if (has_result) observer_->TakeTurns();
}

void WorkerGroup::Handle(const WorkerConnection& connection,
                         worker::v1::WorkerMessage& message) {
  const Lock lock(this);
  if (auto stranger = TakeStranger(connection)) {
    HandleHello(std::move(stranger), message);
    return;
  }
  Member* member = FindMember(connection);
  if (member == nullptr) return;  // Of an epoch that has ended.
  if (message.has_result()) {
    HandleResult(*member, *message.mutable_result());
  } else if (message.has_ready()) {
    HandleReady(*member, message.ready());
  } else {
    Lose(*member, absl::StrCat("sent ", Name(message), " after its Hello"));
  }
}

void WorkerGroup::OnClosed(const WorkerConnection& connection,
                           const std::string& reason) {
  const Lock lock(this);
  TakeStranger(connection);
  Member* member = FindMember(connection);
  if (member != nullptr) Lose(*member, reason);
}

void WorkerGroup::CheckTimeouts() {
  const Lock lock(this);
  const absl::Time now = clock_->Now();
  while (!strangers_.empty() &&
         now - strangers_.front().since >= options_.hello_timeout) {
    EndOldestStranger(absl::DeadlineExceededError(absl::StrCat(
        "no Hello within ", absl::FormatDuration(options_.hello_timeout))));
  }
  std::string reason;
  if (Member* late = FindLate(now, reason)) Lose(*late, reason);
}

void WorkerGroup::Close(const std::string& reason) {
  const Lock lock(this);
  if (state_ == State::kClosed) return;
  while (!strangers_.empty()) EndOldestStranger(absl::UnavailableError(reason));
  EndEpoch(reason);
  state_ = State::kClosed;
}

std::vector<WorkerInfo> WorkerGroup::Workers() const {
  absl::MutexLock lock(&mutex_);
  std::vector<WorkerInfo> workers;
  for (const auto& [rank, info] : directory_) workers.push_back(info);
  return workers;
}

std::string WorkerGroup::NotReadyReason() const {
  absl::MutexLock lock(&mutex_);
  if (state_ == State::kReady) return "";
  if (state_ == State::kClosed) return end_reason_;
  const std::string ended =
      end_reason_.empty()
          ? ""
          : absl::StrCat("; epoch ", epoch_.value(), " ended: ", end_reason_);
  if (state_ == State::kPreparing) return "the workers prepare their KV caches";
  return absl::StrCat(members_.size(), " of ", options_.terms.world_size,
                      " workers attached", ended);
}

void WorkerGroup::Dispatch(Epoch epoch, worker::v1::StepPlan& plan) {
  const Lock lock(this);
  if (state_ != State::kReady || epoch != epoch_) return;
  const uint64_t step = plan.step_id();
  QUIRE_CHECK(step == last_step_ + 1);
  const absl::Time now = clock_->Now();
  size_t num_left = members_.size();
  for (auto& [rank, member] : members_) {
    if (member.last_answered == last_step_) member.waiting_since = now;
    if (--num_left > 0) {
      copy_.CopyFrom(plan);
      member.connection->SendPlan(copy_);
    } else {
      member.connection->SendPlan(plan);
    }
  }
  last_step_ = step;
}

void WorkerGroup::Abandon(Epoch epoch, const std::string& reason) {
  const Lock lock(this);
  if (state_ == State::kReady && epoch == epoch_) EndEpoch(reason);
}

std::shared_ptr<WorkerConnection> WorkerGroup::TakeStranger(
    const WorkerConnection& connection) {
  const auto it = std::find_if(
      strangers_.begin(), strangers_.end(), [&](const Stranger& stranger) {
        return stranger.connection.get() == &connection;
      });
  if (it == strangers_.end()) return nullptr;
  auto taken = std::move(it->connection);
  strangers_.erase(it);
  return taken;
}

void WorkerGroup::EndOldestStranger(const absl::Status& status) {
  strangers_.front().connection->End(status);
  strangers_.pop_front();
}

WorkerGroup::Member* WorkerGroup::FindMember(
    const WorkerConnection& connection) {
  for (auto& [rank, member] : members_) {
    if (member.connection.get() == &connection) return &member;
  }
  return nullptr;
}

std::vector<worker::v1::Hello> WorkerGroup::Hellos() const {
  std::vector<worker::v1::Hello> hellos;
  for (const auto& [rank, member] : members_) hellos.push_back(member.hello);
  return hellos;
}

void WorkerGroup::HandleHello(std::shared_ptr<WorkerConnection> connection,
                              const worker::v1::WorkerMessage& message) {
  const absl::Status status =
      message.has_hello()
          ? CheckHello(message.hello(), options_.terms, Hellos())
          : absl::InvalidArgumentError(absl::StrCat(
                "the first message is Hello, not ", Name(message)));
  if (status.ok()) {
    Admit(std::move(connection), message.hello());
    return;
  }
  metrics_.CountRefusal();
  log_.push_back({LogLevel::kWarning,
                  absl::StrCat("refused the worker at ", connection->peer(),
                               ": ", status.message())});
  connection->End(status);
}

void WorkerGroup::Admit(std::shared_ptr<WorkerConnection> connection,
                        const worker::v1::Hello& hello) {
  // A complete group has every rank taken, so CheckHello refused.
  QUIRE_CHECK(state_ == State::kGathering);
  const Rank rank(hello.rank());
  const std::string& peer = connection->peer();
  log_.push_back({LogLevel::kInfo,
                  absl::StrCat("rank ", hello.rank(), " attached: process ",
                               hello.process_id(), " at ", peer, ", ",
                               hello.instruction_set(), ", compute ",
                               hello.compute(), ", KV ", hello.kv_dtype())});
  directory_[rank] = InfoOf(hello, peer);
  members_[rank] = {.hello = hello, .connection = std::move(connection)};
  if (members_.size() == options_.terms.world_size) StartPreparing();
}

void WorkerGroup::StartPreparing() {
  state_ = State::kPreparing;
  epoch_ = epoch_.Next();
  last_step_ = 0;
  shape_ = AgreeOnShape(Hellos(), options_.terms, epoch_);
  worker::v1::Welcome welcome = MakeWelcome(shape_);
  welcome.set_rendezvous(members_.at(Rank(0)).hello.rendezvous());
  const absl::Time now = clock_->Now();
  for (auto& [rank, member] : members_) {
    member.waiting_since = now;
    member.connection->SendWelcome(welcome);
  }
}

void WorkerGroup::HandleReady(Member& member, const worker::v1::Ready& ready) {
  if (state_ != State::kPreparing || member.ready ||
      Epoch(ready.epoch()) != epoch_) {
    Lose(member, absl::StrCat("sent Ready for epoch ", ready.epoch(),
                              " out of turn; the epoch is ", epoch_.value()));
    return;
  }
  member.ready = true;
  for (const auto& [rank, other] : members_) {
    if (!other.ready) return;
  }
  BecomeReady();
}

void WorkerGroup::BecomeReady() {
  state_ = State::kReady;
  end_reason_.clear();
  for (const auto& [rank, member] : members_) {
    directory_[rank].up = true;
    metrics_.SetUp(
        rank, true,
        member.hello.bytes_per_slot() * shape_.block_size * shape_.num_blocks);
  }
  log_.push_back({LogLevel::kInfo,
                  absl::StrCat("epoch ", epoch_.value(), " is ready: ",
                               shape_.num_ranks, " ranks, ", shape_.num_blocks,
                               " blocks of ", shape_.block_size, " slots, ",
                               shape_.bytes_per_block, " bytes each")});
  observer_->OnGroupReady(shape_, std::make_shared<Link>(this, epoch_));
}

void WorkerGroup::HandleResult(Member& member, worker::v1::StepResult& result) {
  const uint64_t expected = member.last_answered + 1;
  if (state_ != State::kReady || Epoch(result.epoch()) != epoch_ ||
      result.step_id() != expected || expected > last_step_) {
    Lose(member, absl::StrCat("answered step ", result.step_id(), " of epoch ",
                              result.epoch(), "; it has answered ",
                              member.last_answered, " of ", last_step_,
                              " steps of epoch ", epoch_.value()));
    return;
  }
  if (IsLossOfAnother(result)) {
    Lose(member,
         absl::StrCat("could not finish step ", expected, ": ",
                      Escaped(result.status_message(), kMaxFailureBytes)));
    return;
  }
  const std::string fault = FindFault(result);
  if (!fault.empty()) {
    Lose(member, fault);
    return;
  }
  if (result.status_code() != 0) {
    result.set_status_message(
        Escaped(result.status_message(), kMaxFailureBytes));
  }
  member.last_answered = expected;
  member.waiting_since = clock_->Now();
  const Rank rank(member.hello.rank());
  metrics_.AddTimings(rank, result.timings());
  observer_->OnResult(rank, std::move(result));
}

std::string WorkerGroup::FindFault(const worker::v1::StepResult& result) const {
  for (const Token token : result.sampled().token()) {
    if (0 <= token && token < options_.vocabulary_size) continue;
    return absl::StrCat("sampled token ", token, ", the vocabulary has ",
                        options_.vocabulary_size);
  }
  const uint64_t longest_ns = LongestNs(result.timings());
  if (longest_ns <= kMaxStepNs) return "";
  return absl::StrCat("says that a part of step ", result.step_id(), " took ",
                      longest_ns, " ns, more than a day");
}

void WorkerGroup::Lose(Member& member, const std::string& reason) {
  const Rank rank(member.hello.rank());
  const std::string text = absl::StrCat("rank ", rank.value(), " ", reason);
  if (state_ != State::kGathering) {
    EndEpoch(text);
    return;
  }
  log_.push_back({LogLevel::kWarning, text});
  member.connection->End(absl::UnavailableError(text));
  members_.erase(rank);
}

void WorkerGroup::EndEpoch(const std::string& reason) {
  const bool was_ready = state_ == State::kReady;
  std::string text = reason;
  if (state_ != State::kGathering) {
    text = absl::StrCat("epoch ", epoch_.value(), " is over: ", reason);
    log_.push_back({LogLevel::kWarning, text});
  }
  state_ = State::kGathering;
  end_reason_ = reason;
  for (auto& [rank, member] : std::exchange(members_, {})) {
    directory_[rank].up = false;
    metrics_.SetUp(rank, false, 0);
    member.connection->End(absl::UnavailableError(text));
  }
  if (was_ready) {
    metrics_.CountLostEpoch();
    observer_->OnGroupLost(epoch_, absl::UnavailableError(reason));
  }
}

WorkerGroup::Member* WorkerGroup::FindLate(absl::Time now,
                                           std::string& reason) {
  const bool preparing = state_ == State::kPreparing;
  if (!preparing && state_ != State::kReady) return nullptr;
  const absl::Duration limit =
      preparing ? options_.ready_timeout : options_.step_timeout;
  for (auto& [rank, member] : members_) {
    const bool owes =
        preparing ? !member.ready : member.last_answered < last_step_;
    if (!owes || now - member.waiting_since < limit) continue;
    reason = absl::StrCat(preparing ? std::string("did not become ready")
                                    : absl::StrCat("did not answer step ",
                                                   member.last_answered + 1),
                          " within ", absl::FormatDuration(limit));
    return &member;
  }
  return nullptr;
}

}  // namespace quire
