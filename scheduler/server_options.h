#ifndef QUIRE_SCHEDULER_SERVER_OPTIONS_H_
#define QUIRE_SCHEDULER_SERVER_OPTIONS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "scheduler/engine/engine_options.h"

namespace quire {

struct ServerOptions {
  // A GGUF file or a Hugging Face folder. Required.
  std::string model;
  // "host:port", port 0: the system chooses. The first two also "unix:path".
  // There is no authentication: other machines are let in only by a host that
  // says so, such as 0.0.0.0.
  std::string listen = "127.0.0.1:8300";         // The public API.
  std::string worker_listen = "127.0.0.1:8301";  // For workers to dial.
  std::string admin_listen = "127.0.0.1:8302";   // HTTP: metrics and probes.

  // Slots. Smaller blocks waste less at the end of a sequence and share
  // shorter prefixes; larger ones make shorter tables.
  uint32_t block_size = 16;
  // Limit of the KV cache. 0 = as many blocks as the workers have memory for,
  // but no more than max_running_sequences full contexts.
  uint32_t num_blocks = 0;
  // Ranks of the group, which divide the model: 1 to 64. Reason to raise: a
  // model that one worker has no room for, or several machines.
  uint32_t world_size = 1;
  // For a rank to answer a step before its epoch ends; the server is not ready
  // after half of it. Reason to raise: a machine that needs longer for
  // max_step_tokens.
  absl::Duration step_timeout = absl::Seconds(60);
  // For open requests to finish when the server is told to end.
  absl::Duration drain_limit = absl::Seconds(30);

  EngineOptions engine;

  // INVALID_ARGUMENT names the option, its value and the limit.
  absl::Status Validate() const;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_SERVER_OPTIONS_H_
