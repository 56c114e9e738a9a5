#include "worker/comm/gloo_communicator.h"

#include <gloo/rendezvous/context.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>
#include <signal.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "absl/memory/memory.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/status_macros.h"
#include "worker/comm/socket_store.h"

namespace quire {
namespace {

using std::chrono::steady_clock;

SteadyTime After(absl::Duration duration) {
  return steady_clock::now() + absl::ToChronoNanoseconds(duration);
}

std::chrono::milliseconds Left(SteadyTime deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(
      deadline - steady_clock::now());
  return std::max(left, std::chrono::milliseconds(1));  // 0 is for ever.
}

}  // namespace

absl::StatusOr<std::unique_ptr<GlooCommunicator>> GlooCommunicator::Make(
    const GlooOptions& options) {
  // Gloo writes to sockets that a rank which died has closed.
  signal(SIGPIPE, SIG_IGN);
  auto communicator = absl::WrapUnique(new GlooCommunicator(options));
  QUIRE_RETURN_IF_ERROR(communicator->Try([&] {
    gloo::transport::tcp::attr attributes(options.host.c_str());
    communicator->device_ = gloo::transport::tcp::CreateDevice(attributes);
  }));
  if (options.rank == Rank(0)) {
    QUIRE_ASSIGN_OR_RETURN(communicator->rendezvous_,
                           Rendezvous::ListenOn(options.host));
  }
  return communicator;
}

GlooCommunicator::~GlooCommunicator() { DoLeave(); }

std::string GlooCommunicator::rendezvous() const {
  return rendezvous_ != nullptr ? rendezvous_->address() : "";
}

template <typename Function>
absl::Status GlooCommunicator::Try(const Function& function) const {
  try {
    function();
    return absl::OkStatus();
  } catch (const std::exception& e) {
    const std::string text = absl::StrCat("Gloo: ", e.what());
    return absl::StrContains(text, "Timed out") ||
                   absl::StrContains(text, "timeout")
               ? absl::DeadlineExceededError(text)
               : absl::UnavailableError(text);
  }
}

absl::StatusOr<std::vector<RankSocket>> GlooCommunicator::MeetOthers(
    Epoch epoch, const std::string& rendezvous, SteadyTime deadline) {
  if (options_.rank == Rank(0)) {
    return rendezvous_->Meet(epoch, options_.num_ranks, deadline);
  }
  std::vector<RankSocket> sockets(1);
  QUIRE_ASSIGN_OR_RETURN(sockets[0],
                         MeetAt(rendezvous, epoch, options_.rank, deadline));
  return sockets;
}

absl::Status GlooCommunicator::DoForm(Epoch epoch,
                                      const std::string& rendezvous) {
  const SteadyTime deadline = After(options_.form_deadline);
  QUIRE_ASSIGN_OR_RETURN(std::vector<RankSocket> sockets,
                         MeetOthers(epoch, rendezvous, deadline));
  SocketStore store(options_.rank, options_.num_ranks, std::move(sockets),
                    deadline);
  num_collectives_ = 0;
  return Try([&] {
    const auto context = std::make_shared<gloo::rendezvous::Context>(
        static_cast<int>(options_.rank.value()), options_.num_ranks);
    context->setTimeout(Left(deadline));
    context->connectFullMesh(store, device_);
    context_ = context;
  });
}

void GlooCommunicator::DoLeave() { context_.reset(); }

absl::Status GlooCommunicator::DoAllReduceSum(std::span<float> values) {
  const int n = options_.num_ranks;
  const int own_rank = static_cast<int>(options_.rank.value());
  const size_t size = values.size();
  received_.resize(std::max(received_.size(), n * size));
  std::copy(values.begin(), values.end(), &received_[own_rank * size]);
  const absl::Status status = Try([&] {
    const uint64_t slot = ++num_collectives_;
    const SteadyTime deadline = After(options_.collective_deadline);
    const auto own =
        context_->createUnboundBuffer(values.data(), values.size_bytes());
    const auto all = context_->createUnboundBuffer(
        received_.data(), received_.size() * sizeof(float));
    for (int rank = 0; rank < n; ++rank) {
      if (rank == own_rank) continue;
      own->send(rank, slot);
      all->recv(rank, slot, rank * values.size_bytes(), values.size_bytes());
    }
    for (int i = 1; i < n; ++i) all->waitRecv(Left(deadline));
    for (int i = 1; i < n; ++i) own->waitSend(Left(deadline));
  });
  QUIRE_RETURN_IF_ERROR(status);
  std::copy_n(received_.data(), size, values.data());
  for (int rank = 1; rank < n; ++rank) {
    const float* const of_rank = &received_[rank * size];
    for (size_t i = 0; i < size; ++i) values[i] += of_rank[i];
  }
  return absl::OkStatus();
}

absl::Status GlooCommunicator::DoBroadcast(std::span<std::byte> bytes) {
  return Try([&] {
    const uint64_t slot = ++num_collectives_;
    const SteadyTime deadline = After(options_.collective_deadline);
    const auto buffer =
        context_->createUnboundBuffer(bytes.data(), bytes.size());
    if (options_.rank != Rank(0)) {
      buffer->recv(0, slot);
      buffer->waitRecv(Left(deadline));
      return;
    }
    for (int i = 1; i < options_.num_ranks; ++i) buffer->send(i, slot);
    for (int i = 1; i < options_.num_ranks; ++i) {
      buffer->waitSend(Left(deadline));
    }
  });
}

absl::Status GlooCommunicator::DoGatherColumns(const ColumnShares& shares,
                                               float* matrix) {
  return Try([&] {
    const uint64_t slot = ++num_collectives_;
    const SteadyTime deadline = After(options_.collective_deadline);
    const auto bytes_of = [&](int64_t rank) {
      return shares.num_rows * shares.num_columns[rank] * sizeof(float);
    };
    if (options_.rank != Rank(0)) {
      const auto own = context_->createUnboundBuffer(
          matrix, bytes_of(options_.rank.value()));
      own->send(0, slot);
      own->waitSend(Left(deadline));
      return;
    }
    for (int rank = 1; rank < options_.num_ranks; ++rank) {
      const size_t size = bytes_of(rank) / sizeof(float);
      received_.resize(std::max(received_.size(), size));
      const auto part =
          context_->createUnboundBuffer(received_.data(), bytes_of(rank));
      part->recv(rank, slot);
      part->waitRecv(Left(deadline));
      PutColumns(shares, rank, {received_.data(), size}, 0, matrix);
    }
  });
}

}  // namespace quire
