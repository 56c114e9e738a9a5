#ifndef QUIRE_TESTS_SCHEDULER_ENGINE_LETTER_FILTER_H_
#define QUIRE_TESTS_SCHEDULER_ENGINE_LETTER_FILTER_H_

#include <optional>
#include <string>
#include <utility>

#include "common/ids.h"
#include "scheduler/engine/output_filter.h"

namespace quire {

// Token 0 is "A", 1 is "B", ... Holds the newest letter back until the next
// one, and ends at a stop string of letters. Shows no token that ends.
class LetterFilter final : public OutputFilter {
 public:
  explicit LetterFilter(std::string stop = "") : stop_(std::move(stop)) {}

  static std::string Letter(Token token) {
    return std::string(1, static_cast<char>('A' + token));
  }

  Output Append(Token token, bool ends) override {
    const std::string shown = std::exchange(held_, ends ? "" : Letter(token));
    seen_ += Letter(token);
    if (!stop_.empty() && seen_.ends_with(stop_)) return {shown, stop_};
    return {shown, std::nullopt};
  }

  std::string Finish() override { return std::exchange(held_, ""); }

 private:
  const std::string stop_;
  std::string seen_;
  std::string held_;
};

}  // namespace quire

#endif  // QUIRE_TESTS_SCHEDULER_ENGINE_LETTER_FILTER_H_
