#include "client/status_text.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/preemption_text.h"
#include "client/request_state_text.h"
#include "client/units.h"

namespace quire {
namespace {

using quire::v1::BlockCounts;
using quire::v1::GetModelResponse;
using quire::v1::RequestStatus;
using quire::v1::StatusResponse;
using quire::v1::WorkerStatus;

std::string Row(const std::string& name, const std::string& value) {
  return absl::StrFormat("%-10s %s\n", name, value);
}

std::string ReadyText(const StatusResponse& status) {
  const std::string up = FormatSeconds(status.uptime_s());
  if (status.ready()) return absl::StrCat("ready, up ", up);
  return absl::StrCat("not ready: ", status.reason(), ", up ", up);
}

std::string ModelText(const GetModelResponse& model) {
  return absl::StrCat(model.name(), " (", model.architecture(), ", ",
                      FormatCount(model.num_parameters()), " parameters, ",
                      FormatCount(model.vocabulary_size()), " tokens, context ",
                      FormatCount(model.context_length()), ")");
}

std::string RequestsText(const StatusResponse& status) {
  return absl::StrCat(status.running_requests(), " running, ",
                      status.waiting_requests(), " waiting (",
                      FormatCount(status.waiting_tokens()), " prompt tokens), ",
                      PreemptionsText(status));
}

std::string TokensText(const StatusResponse& status) {
  return absl::StrCat(
      FormatCount(status.prompt_tokens()), " of prompts and ",
      FormatCount(status.cached_prompt_tokens()), " found in the cache, ",
      FormatCount(status.generated_tokens()), " generated in ",
      FormatCount(status.steps()), " steps, epoch ", status.epoch());
}

std::string SavingText(const BlockCounts& blocks) {
  if (blocks.saved() == 0) return "";
  return absl::StrCat("; sharing ", FormatCount(blocks.shared()),
                      " of them saves ", FormatCount(blocks.saved()));
}

std::string BlocksText(const BlockCounts& blocks) {
  if (blocks.total() == 0) return "none until a worker is ready";
  const uint64_t slots = uint64_t{blocks.active()} * blocks.block_size();
  return absl::StrCat(FormatCount(blocks.active()), " active (",
                      FormatShare(blocks.used_slots(), slots),
                      " of their slots used), ", FormatCount(blocks.cached()),
                      " cached, ", FormatCount(blocks.free()), " free of ",
                      FormatCount(blocks.total()), SavingText(blocks));
}

std::string HostRow(const StatusResponse& status) {
  const std::string text = HostBlocksText(status);
  return text.empty() ? "" : Row("host", text);
}

std::string MemoryText(const BlockCounts& blocks) {
  if (blocks.total() == 0) return "none until a worker is ready";
  return absl::StrCat(FormatBytes(blocks.total() * blocks.bytes_per_block()),
                      ", a block is ", blocks.block_size(), " slots and ",
                      FormatBytes(blocks.bytes_per_block()));
}

std::string WorkerRow(const WorkerStatus& worker) {
  return absl::StrFormat("%-6d %-5s %-13s %-8s %-6s %s\n", worker.rank(),
                         worker.up() ? "up" : "down", worker.instruction_set(),
                         worker.compute(), worker.kv_dtype(), worker.peer());
}

std::string RequestRow(const RequestStatus& request) {
  return absl::StrFormat(
      "%-20s %-12s %7d %10d %7d %8d %8s\n", Printable(request.request_id(), 20),
      StateText(request), request.prompt_tokens(), request.generated_tokens(),
      request.blocks(), request.preemptions(), FormatSeconds(request.age_s()));
}

std::string WorkersTable(const StatusResponse& status) {
  if (status.workers().empty()) return "\nno worker is attached\n";
  std::string text =
      absl::StrFormat("\n%-6s %-5s %-13s %-8s %-6s %s\n", "WORKER", "",
                      "INSTRUCTIONS", "COMPUTE", "KV", "PEER");
  for (const WorkerStatus& worker : status.workers()) text += WorkerRow(worker);
  return text;
}

std::string RequestsTable(const StatusResponse& status) {
  if (status.requests().empty()) return "";
  std::string text = absl::StrFormat("\n%-20s %-12s %7s %10s %7s %8s %8s\n",
                                     "REQUEST", "STATE", "PROMPT", "GENERATED",
                                     "BLOCKS", "PREEMPT.", "AGE");
  for (const RequestStatus& request : status.requests()) {
    text += RequestRow(request);
  }
  return text;
}

}  // namespace

std::string StatusText(const ServerFacts& facts) {
  const StatusResponse& status = facts.status;
  return absl::StrCat(
      Row("server", ReadyText(status)), Row("model", ModelText(facts.model)),
      Row("requests", RequestsText(status)), Row("tokens", TokensText(status)),
      Row("blocks", BlocksText(status.blocks())), HostRow(status),
      Row("KV cache", MemoryText(status.blocks())), WorkersTable(status),
      RequestsTable(status));
}

}  // namespace quire
