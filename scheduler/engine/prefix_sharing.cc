#include "scheduler/engine/prefix_sharing.h"

#include <algorithm>
#include <optional>

#include "absl/hash/hash.h"
#include "absl/types/span.h"
#include "scheduler/memory/prefix_tree.h"
#include "scheduler/policy/prefix_writer.h"

namespace quire {
namespace {

// Whether it is about to write more of its prompt, for others to read.
bool IsWriter(const RequestState& request) {
  const Sequence& leader = request.leader();
  return request.writes_prefixes() &&
         leader.committed() < leader.prompt_length();
}

// What `reader` may read of `other` once it is written.
PrefixWriter ReadableOf(const RequestState& other, const RequestState& reader) {
  const Sequence& leader = other.leader();
  const bool readable =
      IsWriter(other) && other.cache_salt() == reader.cache_salt();
  return {
      .prompt = leader.tokens().first(readable ? leader.prompt_length() : 0),
      .committed = leader.committed()};
}

// The tokens that it need not compute itself: all but the last, whose row is
// what samples. One that is swapped has its own behind those that are.
std::span<const Token> Sharable(const Sequence& sequence) {
  return sequence.tokens().first(sequence.swapped() != nullptr
                                     ? sequence.num_returning_slots()
                                     : sequence.known() - 1);
}

}  // namespace

std::vector<BlockId> FindPrefix(const RequestState& request, Group& group) {
  if (!request.reads_prefixes()) return {};
  PrefixTree& prefixes = group.prefixes();
  const std::span<const Token> tokens = Sharable(request.leader());
  return prefixes.Find(
      prefixes.SpaceOf(request.cache_salt()), tokens,
      static_cast<uint32_t>(tokens.size()) / group.shape().block_size);
}

PrefixWriters::PrefixWriters(std::span<RequestState* const> running,
                             uint32_t block_size)
    : block_size_(block_size) {
  for (RequestState* request : running) Add(request);
}

void PrefixWriters::Add(RequestState* request) {
  if (!IsWriter(*request)) return;
  if (const auto key = KeyOf(*request)) {
    by_first_block_[*key].push_back(request);
  }
}

std::optional<size_t> PrefixWriters::KeyOf(const RequestState& request) const {
  const std::span<const Token> tokens = request.leader().tokens();
  if (tokens.size() < block_size_) return std::nullopt;
  return absl::HashOf(absl::MakeConstSpan(tokens.data(), block_size_),
                      request.cache_salt());
}

PrefixToCome PrefixWriters::FindFor(const RequestState& request,
                                    uint32_t num_found) const {
  if (!request.reads_prefixes() || request.swapped()) return {};
  const std::optional<size_t> key = KeyOf(request);
  if (!key.has_value()) return {};
  const auto alike = by_first_block_.find(*key);
  if (alike == by_first_block_.end()) return {};
  const std::vector<RequestState*>& writers = alike->second;
  std::vector<PrefixWriter> described;
  for (const RequestState* other : writers) {
    described.push_back(ReadableOf(*other, request));
  }
  const std::optional<WriterChoice> choice = ChooseWriter(
      Sharable(request.leader()), num_found, described, block_size_);
  if (!choice.has_value()) return {};
  const Sequence& writer = writers[choice->writer]->leader();
  return {.writer = writer.id(),
          .lane = writer.lane(),
          .num_slots = choice->num_slots};
}

bool IsBeingWritten(const PrefixToCome& prefix, const Sequence* writer) {
  return writer != nullptr && !writer->parked() &&
         writer->committed() < prefix.num_slots;
}

uint32_t CountOwnRows(const RequestState& request,
                      std::span<RequestState* const> running,
                      const RequestQueue& waiting, Group& group) {
  const uint32_t known = request.leader().known();
  if (!request.reads_prefixes()) return known;
  std::vector<PrefixWriter> others;
  for (const RequestState* other : running) {
    others.push_back(ReadableOf(*other, request));
  }
  for (const RequestState* other : waiting) {
    others.push_back(ReadableOf(*other, request));
  }
  const uint32_t block_size = group.shape().block_size;
  const uint32_t num_found =
      static_cast<uint32_t>(FindPrefix(request, group).size()) * block_size;
  const std::optional<WriterChoice> shared =
      ChooseWriter(Sharable(request.leader()), num_found, others, block_size);
  return known - (shared.has_value() ? shared->num_slots : num_found);
}

void PublishPrefix(const RequestState& request, Sequence& sequence,
                   Group& group) {
  if (!request.writes_prefixes() || !sequence.has_unpublished()) return;
  PrefixTree& prefixes = group.prefixes();
  sequence.Publish(prefixes.SpaceOf(request.cache_salt()), &prefixes,
                   &group.pool());
}

}  // namespace quire
