#include "scheduler/cluster/handshake.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/control_characters.h"
#include "common/status_macros.h"

namespace quire {
namespace {

using worker::v1::Hello;

// Words such as "bf16". Only such are quoted, in logs and in the status.
constexpr size_t kMaxWordBytes = 64;
// Of rank 0's rendezvous.
constexpr size_t kMaxAddressBytes = 300;

// A rank with this many bytes a slot would not be of this world; keeps products
// far from overflow.
constexpr uint64_t kMaxBytesPerSlot = uint64_t{1} << 40;

// Ids have 32 bits.
constexpr uint64_t kMaxBlocks = std::numeric_limits<uint32_t>::max();

template <typename T>
absl::Status CheckEqual(const char* what, const T& workers, const T& ours) {
  if (workers == ours) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the worker's ", what, " is ", workers, ", the scheduler's is ", ours));
}

template <typename T>
absl::Status CheckSame(const char* what, const T& its, const Hello& other,
                       const T& others) {
  if (its == others) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the worker's ", what, " is ", its, ", that of rank ",
                   other.rank(), " is ", others));
}

absl::Status CheckWord(const char* what, const std::string& word,
                       size_t max_bytes = kMaxWordBytes) {
  if (word.empty() || word.size() > max_bytes) {
    return absl::FailedPreconditionError(
        absl::StrCat("the worker's ", what, " has ", word.size(),
                     " bytes; it has 1 to ", max_bytes));
  }
  const size_t control = FindControlCharacter(word);
  if (control == std::string::npos) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat("the worker's ", what, " has a control character at byte ",
                   control, "; it has none"));
}

absl::Status CheckWords(const Hello& hello) {
  QUIRE_RETURN_IF_ERROR(
      CheckWord("model_fingerprint", hello.model_fingerprint()));
  QUIRE_RETURN_IF_ERROR(CheckWord("kv_dtype", hello.kv_dtype()));
  QUIRE_RETURN_IF_ERROR(CheckWord("compute", hello.compute()));
  return CheckWord("instruction_set", hello.instruction_set());
}

// Of several ranks.
absl::Status CheckCommunication(const Hello& hello) {
  QUIRE_RETURN_IF_ERROR(CheckWord("communicator", hello.communicator()));
  if (hello.rank() != 0) return absl::OkStatus();
  return CheckWord("rendezvous", hello.rendezvous(), kMaxAddressBytes);
}

// In whole blocks, computed without a product that could overflow.
uint64_t NumBlocksThatFit(const Hello& hello, uint64_t bytes,
                          uint32_t block_size) {
  return bytes / block_size / hello.bytes_per_slot();
}

absl::Status CheckCache(const Hello& hello, const HandshakeTerms& terms) {
  if (hello.bytes_per_slot() == 0 ||
      hello.bytes_per_slot() > kMaxBytesPerSlot) {
    return absl::FailedPreconditionError(
        absl::StrCat("the worker's bytes_per_slot is ", hello.bytes_per_slot(),
                     "; it lies within 1 and ", kMaxBytesPerSlot));
  }
  const uint32_t multiple = std::max(1u, hello.block_size_multiple());
  if (terms.block_size % multiple != 0) {
    return absl::FailedPreconditionError(
        absl::StrCat("the scheduler's block_size is ", terms.block_size,
                     " slots, the worker needs a multiple of ", multiple));
  }
  if (NumBlocksThatFit(hello, hello.kv_cache_bytes(), terms.block_size) == 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the worker's kv_cache_bytes is ", hello.kv_cache_bytes(),
        ", one block takes ", hello.bytes_per_slot() * terms.block_size));
  }
  return absl::OkStatus();
}

absl::Status CheckAgainstRank(const Hello& hello, const Hello& other) {
  if (hello.rank() == other.rank()) {
    return absl::AlreadyExistsError(absl::StrCat(
        "rank ", hello.rank(), " is attached already, by process ",
        other.process_id(), "; this is process ", hello.process_id()));
  }
  QUIRE_RETURN_IF_ERROR(
      CheckSame("kv_dtype", hello.kv_dtype(), other, other.kv_dtype()));
  QUIRE_RETURN_IF_ERROR(
      CheckSame("compute", hello.compute(), other, other.compute()));
  QUIRE_RETURN_IF_ERROR(CheckSame("instruction_set", hello.instruction_set(),
                                  other, other.instruction_set()));
  return CheckSame("communicator", hello.communicator(), other,
                   other.communicator());
}

}  // namespace

absl::Status CheckHello(const Hello& hello, const HandshakeTerms& terms,
                        const std::vector<Hello>& attached) {
  QUIRE_RETURN_IF_ERROR(CheckEqual("protocol_version", hello.protocol_version(),
                                   kWorkerProtocolVersion));
  QUIRE_RETURN_IF_ERROR(CheckWords(hello));
  QUIRE_RETURN_IF_ERROR(CheckEqual(
      "model_fingerprint", hello.model_fingerprint(), terms.model_fingerprint));
  QUIRE_RETURN_IF_ERROR(
      CheckEqual("world_size", hello.world_size(), terms.world_size));
  if (hello.rank() >= terms.world_size) {
    return absl::FailedPreconditionError(
        absl::StrCat("the worker's rank is ", hello.rank(),
                     ", ranks of this group are below ", terms.world_size));
  }
  if (terms.world_size > 1) QUIRE_RETURN_IF_ERROR(CheckCommunication(hello));
  QUIRE_RETURN_IF_ERROR(CheckCache(hello, terms));
  for (const Hello& other : attached) {
    QUIRE_RETURN_IF_ERROR(CheckAgainstRank(hello, other));
  }
  return absl::OkStatus();
}

GroupShape AgreeOnShape(const std::vector<Hello>& ranks,
                        const HandshakeTerms& terms, Epoch epoch) {
  QUIRE_CHECK(ranks.size() == terms.world_size && !ranks.empty());
  GroupShape shape;
  shape.epoch = epoch;
  shape.num_ranks = terms.world_size;
  shape.block_size = terms.block_size;
  shape.bytes_per_block = 0;
  shape.max_step_rows = terms.max_step_rows;
  uint64_t num_blocks =
      terms.max_num_blocks != 0 ? terms.max_num_blocks : kMaxBlocks;
  uint64_t num_host_blocks = kMaxBlocks;
  shape.cheap_rows = ranks.front().cheap_rows();
  for (const Hello& hello : ranks) {
    num_blocks = std::min(
        num_blocks,
        NumBlocksThatFit(hello, hello.kv_cache_bytes(), terms.block_size));
    num_host_blocks = std::min(
        num_host_blocks,
        NumBlocksThatFit(hello, hello.host_kv_bytes(), terms.block_size));
    shape.cheap_rows = std::min(shape.cheap_rows, hello.cheap_rows());
    shape.bytes_per_block += hello.bytes_per_slot() * terms.block_size;
    if (hello.max_step_rows() != 0) {
      shape.max_step_rows =
          std::min(shape.max_step_rows, hello.max_step_rows());
    }
  }
  shape.num_blocks = static_cast<uint32_t>(num_blocks);
  shape.num_host_blocks = static_cast<uint32_t>(num_host_blocks);
  QUIRE_CHECK(shape.num_blocks > 0);
  return shape;
}

worker::v1::Welcome MakeWelcome(const GroupShape& shape) {
  worker::v1::Welcome welcome;
  welcome.set_epoch(shape.epoch.value());
  welcome.set_block_size(shape.block_size);
  welcome.set_num_blocks(shape.num_blocks);
  welcome.set_max_step_rows(shape.max_step_rows);
  welcome.set_num_host_blocks(shape.num_host_blocks);
  return welcome;
}

}  // namespace quire
