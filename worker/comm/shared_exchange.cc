#include "worker/comm/shared_exchange.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/spin.h"
#include "common/status_macros.h"

namespace quire {
namespace {

using Steady = std::chrono::steady_clock;

constexpr int64_t kPageBytes = 4096;
// Of one place: a piece of this size stays in the second-level cache.
constexpr int64_t kPieceFloats = int64_t{64} << 10;
constexpr int64_t kPieceBytes = kPieceFloats * int64_t{sizeof(float)};
// Up to here a rank sums all by itself. Larger pieces are shared out, at the
// price of a second meeting.
constexpr int64_t kSumAloneFloats = 4096;
constexpr char kLeft[] = "another rank left the epoch";
constexpr int64_t kLookAgainNs = 5'000'000;

// Between processes; std::atomic's own waiting is within one.
void SleepWhileEqual(std::atomic<uint32_t>& word, uint32_t old) {
  const timespec limit = {.tv_sec = 0, .tv_nsec = kLookAgainNs};
  syscall(SYS_futex, &word, FUTEX_WAIT, old, &limit, nullptr, 0);
}

void WakeAll(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

// Who waits watches `generation`; who arrives counts elsewhere.
struct SharedExchange::Header {
  alignas(64) std::atomic<uint32_t> num_arrived;
  alignas(64) std::atomic<uint32_t> generation;
  std::atomic<uint32_t> num_sleepers;
  std::atomic<uint32_t> is_aborted;
};

int64_t SharedExchange::BytesFor(int num_ranks) {
  static_assert(sizeof(Header) <= kPageBytes);
  return kPageBytes + int64_t{2} * num_ranks * kPieceBytes;
}

SharedExchange::SharedExchange(std::byte* memory,
                               const SharedExchangeOptions& options)
    : header_(reinterpret_cast<Header*>(memory)),
      places_(memory + kPageBytes),
      options_(options) {}

float* SharedExchange::Place(int rank) const {
  return reinterpret_cast<float*>(places_ + (2 * rank + turn_) * kPieceBytes);
}

absl::Status SharedExchange::Meet() {
  const uint32_t generation = ++generation_;
  Header& header = *header_;
  const uint32_t before =
      header.num_arrived.fetch_add(1, std::memory_order_acq_rel);
  if (before + 1 < static_cast<uint32_t>(options_.num_ranks)) {
    return Wait(generation);
  }
  if (header.is_aborted.load(std::memory_order_acquire) != 0) {
    return absl::UnavailableError(kLeft);
  }
  header.num_arrived.store(0, std::memory_order_relaxed);
  // Either this sees the sleeper, or the sleeper the new generation.
  header.generation.store(generation, std::memory_order_seq_cst);
  if (header.num_sleepers.load(std::memory_order_seq_cst) > 0) {
    WakeAll(header.generation);
  }
  return absl::OkStatus();
}

absl::Status SharedExchange::Wait(uint32_t generation) {
  std::atomic<uint32_t>& word = header_->generation;
  const auto is_met = [&] {
    return word.load(std::memory_order_acquire) == generation;
  };
  if (options_.spins && SpinUntil(is_met)) return absl::OkStatus();
  const auto deadline =
      Steady::now() + absl::ToChronoNanoseconds(options_.deadline);
  for (;;) {
    header_->num_sleepers.fetch_add(1, std::memory_order_seq_cst);
    if (word.load(std::memory_order_seq_cst) != generation) {
      SleepWhileEqual(word, generation - 1);
    }
    header_->num_sleepers.fetch_sub(1, std::memory_order_relaxed);
    if (is_met()) return absl::OkStatus();
    QUIRE_RETURN_IF_ERROR(CheckOthers());
    if (Steady::now() >= deadline) {
      return absl::DeadlineExceededError(absl::StrCat(
          "rank ", options_.rank, " waited ",
          absl::FormatDuration(options_.deadline), " for the other ranks"));
    }
  }
}

absl::Status SharedExchange::CheckOthers() const {
  if (header_->is_aborted.load(std::memory_order_acquire) != 0) {
    return absl::UnavailableError(kLeft);
  }
  return options_.check_alive();
}

void SharedExchange::Abort() {
  header_->is_aborted.store(1, std::memory_order_release);
  WakeAll(header_->generation);
}

absl::Status SharedExchange::AllReduceSum(std::span<float> values) {
  while (!values.empty()) {
    const auto piece = values.first(
        std::min(values.size(), static_cast<size_t>(kPieceFloats)));
    QUIRE_RETURN_IF_ERROR(ReducePiece(piece));
    values = values.subspan(piece.size());
  }
  return absl::OkStatus();
}

absl::Status SharedExchange::ReducePiece(std::span<float> piece) {
  const auto size = static_cast<int64_t>(piece.size());
  const int n = options_.num_ranks;
  float* const own = Place(options_.rank);
  std::copy(piece.begin(), piece.end(), own);
  QUIRE_RETURN_IF_ERROR(Meet());
  if (n == 2 || size <= kSumAloneFloats) {
    Sum(0, size, piece.data());
    TakeTurns();
    return absl::OkStatus();
  }
  // Only this rank reads its part of the places before the next meeting.
  const auto begin_of = [&](int rank) { return size * rank / n; };
  const int64_t begin = begin_of(options_.rank);
  Sum(begin, begin_of(options_.rank + 1), own + begin);
  QUIRE_RETURN_IF_ERROR(Meet());
  for (int rank = 0; rank < n; ++rank) {
    std::copy(Place(rank) + begin_of(rank), Place(rank) + begin_of(rank + 1),
              piece.data() + begin_of(rank));
  }
  TakeTurns();
  return absl::OkStatus();
}

// In blocks of a fixed size, of which the compiler makes vectors.
void SharedExchange::Sum(int64_t begin, int64_t end, float* sums) const {
  constexpr int64_t kBlock = 16;
  const auto sum_block = [&](int64_t size) {
    float block[kBlock];
    std::copy_n(Place(0) + begin, size, block);
    for (int rank = 1; rank < options_.num_ranks; ++rank) {
      const float* const values = Place(rank) + begin;
      for (int64_t i = 0; i < size; ++i) block[i] += values[i];
    }
    sums = std::copy_n(block, size, sums);
    begin += size;
  };
  while (end - begin >= kBlock) sum_block(kBlock);
  sum_block(end - begin);
}

absl::Status SharedExchange::Broadcast(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const auto piece =
        bytes.first(std::min(bytes.size(), static_cast<size_t>(kPieceBytes)));
    const bool gives = options_.rank == 0;
    if (gives) std::memcpy(Place(0), piece.data(), piece.size());
    QUIRE_RETURN_IF_ERROR(Meet());
    if (!gives) std::memcpy(piece.data(), Place(0), piece.size());
    TakeTurns();
    bytes = bytes.subspan(piece.size());
  }
  return absl::OkStatus();
}

// The columns of each rank are one stream, of which a piece at a time goes
// through its place.
absl::Status SharedExchange::GatherColumns(const ColumnShares& shares,
                                           float* matrix) {
  int64_t longest = 0;
  for (const int64_t n : shares.num_columns.subspan(1)) {
    longest = std::max(longest, shares.num_rows * n);
  }
  for (int64_t begin = 0; begin < longest; begin += kPieceFloats) {
    const auto end_of = [&](int rank) {
      return std::clamp(shares.num_rows * shares.num_columns[rank], begin,
                        begin + kPieceFloats);
    };
    if (options_.rank > 0) {
      std::copy(matrix + begin, matrix + end_of(options_.rank),
                Place(options_.rank));
    }
    QUIRE_RETURN_IF_ERROR(Meet());
    for (int rank = 1; options_.rank == 0 && rank < options_.num_ranks;
         ++rank) {
      PutColumns(shares, rank,
                 {Place(rank), Place(rank) + end_of(rank) - begin}, begin,
                 matrix);
    }
    TakeTurns();
  }
  return absl::OkStatus();
}

}  // namespace quire
