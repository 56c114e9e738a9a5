#include "worker/sampler/top_tokens.h"

#include <algorithm>
#include <cstddef>

namespace quire {
namespace {

// Keeps the `count` best entries, the worst of them last.
void Prune(size_t count, std::vector<TokenLogit>* best) {
  if (best->size() < count) count = best->size();
  std::nth_element(best->begin(), best->begin() + (count - 1), best->end(),
                   IsBetter);
  best->resize(count);
}

}  // namespace

void SelectTop(std::span<const float> logits, int count,
               std::vector<TokenLogit>* best) {
  const size_t wanted = std::min<size_t>(count, logits.size());
  // Pruning halves the buffer, so each entry is moved twice on average.
  const size_t capacity =
      std::min(std::max<size_t>(2 * wanted, 64), logits.size());
  best->clear();
  size_t i = 0;
  for (; i < capacity; ++i) {
    best->push_back({static_cast<Token>(i), logits[i]});
  }
  Prune(wanted, best);
  for (; i < logits.size(); ++i) {
    // Ids ascend, so a token that only equals the worst kept one loses.
    if (logits[i] <= (*best)[wanted - 1].logit) continue;
    best->push_back({static_cast<Token>(i), logits[i]});
    if (best->size() == capacity) Prune(wanted, best);
  }
  Prune(wanted, best);
}

void SortedTop(std::span<const float> logits, int count,
               std::vector<TokenLogit>* best) {
  SelectTop(logits, count, best);
  std::sort(best->begin(), best->end(), IsBetter);
}

}  // namespace quire
