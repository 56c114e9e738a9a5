#include "worker/comm/shared_memory_communicator.h"

#include <sys/mman.h>
#include <unistd.h>

#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/str_cat.h"
#include "common/status_macros.h"

namespace quire {

class SharedMemoryCommunicator::Mapping {
 public:
  static absl::StatusOr<std::unique_ptr<Mapping>> Map(const FileDescriptor& fd,
                                                      int64_t num_bytes) {
    void* const data = mmap(nullptr, static_cast<size_t>(num_bytes),
                            PROT_READ | PROT_WRITE, MAP_SHARED, fd.get(), 0);
    if (data == MAP_FAILED) return SystemError("cannot map shared memory");
    return absl::WrapUnique(new Mapping(data, num_bytes));
  }
  ~Mapping() { munmap(data_, static_cast<size_t>(num_bytes_)); }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::byte* data() const { return static_cast<std::byte*>(data_); }

 private:
  Mapping(void* data, int64_t num_bytes) : data_(data), num_bytes_(num_bytes) {}

  void* const data_;
  const int64_t num_bytes_;
};

absl::StatusOr<std::unique_ptr<SharedMemoryCommunicator>>
SharedMemoryCommunicator::Make(const SharedMemoryOptions& options) {
  auto communicator = absl::WrapUnique(new SharedMemoryCommunicator(options));
  if (options.rank == Rank(0)) {
    QUIRE_ASSIGN_OR_RETURN(communicator->rendezvous_, Rendezvous::ListenHere());
  }
  return communicator;
}

SharedMemoryCommunicator::SharedMemoryCommunicator(
    const SharedMemoryOptions& options)
    : options_(options) {}

SharedMemoryCommunicator::~SharedMemoryCommunicator() { DoLeave(); }

std::string SharedMemoryCommunicator::rendezvous() const {
  return rendezvous_ != nullptr ? rendezvous_->address() : "";
}

absl::Status SharedMemoryCommunicator::DoForm(Epoch epoch,
                                              const std::string& rendezvous) {
  const SteadyTime deadline = std::chrono::steady_clock::now() +
                              absl::ToChronoNanoseconds(options_.form_deadline);
  QUIRE_ASSIGN_OR_RETURN(const FileDescriptor memory,
                         options_.rank == Rank(0)
                             ? InviteOthers(epoch, deadline)
                             : JoinOthers(epoch, rendezvous, deadline));
  QUIRE_ASSIGN_OR_RETURN(
      mapping_,
      Mapping::Map(memory, SharedExchange::BytesFor(options_.num_ranks)));
  exchange_.emplace(
      mapping_->data(),
      SharedExchangeOptions{.rank = static_cast<int>(options_.rank.value()),
                            .num_ranks = options_.num_ranks,
                            .deadline = options_.collective_deadline,
                            .spins = options_.spins,
                            .check_alive = [this] { return CheckAlive(); }});
  return absl::OkStatus();
}

absl::StatusOr<FileDescriptor> SharedMemoryCommunicator::InviteOthers(
    Epoch epoch, SteadyTime deadline) {
  const std::string name = absl::StrCat("quire-epoch-", epoch.value());
  FileDescriptor memory(memfd_create(name.c_str(), MFD_CLOEXEC));
  if (!memory.ok() || ftruncate(memory.get(), SharedExchange::BytesFor(
                                                  options_.num_ranks)) != 0) {
    return SystemError("cannot make shared memory");
  }
  QUIRE_ASSIGN_OR_RETURN(
      sockets_, rendezvous_->Meet(epoch, options_.num_ranks, deadline));
  for (int rank = 1; rank < options_.num_ranks; ++rank) {
    QUIRE_RETURN_IF_ERROR(sockets_[rank].SendDescriptor(memory, deadline));
  }
  return memory;
}

absl::StatusOr<FileDescriptor> SharedMemoryCommunicator::JoinOthers(
    Epoch epoch, const std::string& rendezvous, SteadyTime deadline) {
  QUIRE_ASSIGN_OR_RETURN(RankSocket socket,
                         MeetAt(rendezvous, epoch, options_.rank, deadline));
  sockets_.push_back(std::move(socket));
  return sockets_[0].ReceiveDescriptor(deadline);
}

absl::Status SharedMemoryCommunicator::CheckAlive() const {
  for (size_t rank = 0; rank < sockets_.size(); ++rank) {
    if (!sockets_[rank].fd().ok() || !sockets_[rank].IsClosed()) continue;
    return absl::UnavailableError(absl::StrCat("rank ", rank, " is gone"));
  }
  return absl::OkStatus();
}

void SharedMemoryCommunicator::DoLeave() {
  if (exchange_.has_value()) exchange_->Abort();
  exchange_.reset();
  mapping_.reset();
  sockets_.clear();
}

}  // namespace quire
