#include "scheduler/engine/prefix_sharing.h"

#include <optional>

#include "scheduler/memory/prefix_tree.h"
#include "scheduler/policy/prefix_writer.h"

namespace quire {

std::vector<BlockId> FindPrefix(const RequestState& request, Group& group) {
  if (!request.reads_prefixes()) return {};
  PrefixTree& prefixes = group.prefixes();
  const Sequence& leader = request.leader();
  const uint32_t num_slots =
      request.swapped() ? leader.swapped_slots() : leader.known() - 1;
  return prefixes.Find(prefixes.SpaceOf(request.cache_salt()), leader.tokens(),
                       num_slots / group.shape().block_size);
}

AwaitedPrefix FindWriter(const RequestState& request, uint32_t num_found,
                         std::span<RequestState* const> running,
                         uint32_t block_size) {
  if (!request.reads_prefixes() || request.swapped()) return {};
  std::vector<PrefixWriter> writers;
  std::vector<SequenceId> ids;
  for (const RequestState* other : running) {
    const Sequence& writer = other->leader();
    if (writer.committed() >= writer.prompt_length() ||
        !other->writes_prefixes() ||
        other->cache_salt() != request.cache_salt()) {
      continue;
    }
    writers.push_back({.prompt = writer.tokens().first(writer.prompt_length()),
                       .committed = writer.committed()});
    ids.push_back(writer.id());
  }
  const Sequence& leader = request.leader();
  const std::optional<PrefixToCome> choice =
      ChooseWriter(leader.tokens().first(leader.known() - 1), num_found,
                   writers, block_size);
  if (!choice.has_value()) return {};
  return {.writer = ids[choice->writer], .num_slots = choice->num_slots};
}

bool IsBeingWritten(const AwaitedPrefix& awaited, const Sequence* writer) {
  return writer != nullptr && !writer->parked() &&
         writer->committed() < awaited.num_slots;
}

void PublishPrefix(const RequestState& request, Sequence& sequence,
                   Group& group) {
  if (!request.writes_prefixes() || !sequence.has_unpublished()) return;
  PrefixTree& prefixes = group.prefixes();
  sequence.Publish(prefixes.SpaceOf(request.cache_salt()), &prefixes,
                   &group.pool());
}

}  // namespace quire
