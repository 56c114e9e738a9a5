#include "scheduler/frontend/tokenize_pool.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace quire {

TokenizePool::TokenizePool(const TokenizePoolOptions& options)
    : options_(options), pool_(options.num_threads, options.max_waiting) {}

absl::Status TokenizePool::Run(size_t num_bytes, std::function<void()> work) {
  if (num_bytes <= options_.max_inline_bytes) {
    work();
    return absl::OkStatus();
  }
  if (pool_.TryRun(std::move(work))) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      options_.max_waiting,
      " long texts are waiting to be tokenized, the most that may"));
}

}  // namespace quire
