#include "scheduler/text/pre_tokenizer.h"

#include <optional>
#include <utility>

#include "common/status_macros.h"

namespace quire {
namespace {

using Behavior = SplitStep::Behavior;

struct Piece {
  size_t begin;
  size_t end;
  bool is_match;
};

// Turns the matches of a pattern and the gaps between them, which arrive in
// order, into words. Holds back one piece, because the next may belong to it.
class PieceJoiner {
 public:
  PieceJoiner(Behavior behavior, std::string_view text)
      : behavior_(behavior), text_(text) {}

  // The word that is complete now; empty: none.
  std::string_view Add(const Piece& piece) {
    if (!pending_.has_value()) {
      pending_ = piece;
      return {};
    }
    if (Joins(*pending_, piece)) {
      pending_->end = piece.end;
      pending_->is_match = piece.is_match;
      return {};
    }
    return Word(std::exchange(pending_, piece));
  }

  std::string_view Finish() {
    return Word(std::exchange(pending_, std::nullopt));
  }

 private:
  bool Joins(const Piece& left, const Piece& right) const {
    switch (behavior_) {
      case Behavior::kRemoved:
      case Behavior::kIsolated:
        return false;
      case Behavior::kContiguous:
        return left.is_match == right.is_match;
      case Behavior::kMergedWithPrevious:
        return right.is_match && !left.is_match;
      case Behavior::kMergedWithNext:
        return left.is_match && !right.is_match;
    }
    return false;
  }

  std::string_view Word(const std::optional<Piece>& piece) const {
    if (!piece.has_value() ||
        (behavior_ == Behavior::kRemoved && piece->is_match))
      return {};
    return text_.substr(piece->begin, piece->end - piece->begin);
  }

  const Behavior behavior_;
  const std::string_view text_;
  std::optional<Piece> pending_;
};

}  // namespace

absl::StatusOr<PreTokenizer> PreTokenizer::Create(
    const std::vector<SplitStep>& steps) {
  std::vector<Step> compiled;
  for (const SplitStep& step : steps) {
    QUIRE_ASSIGN_OR_RETURN(SplitPattern pattern,
                           step.is_literal
                               ? SplitPattern::CompileLiteral(step.pattern)
                               : SplitPattern::CompileRegex(step.pattern));
    compiled.push_back({std::move(pattern), step.behavior, step.invert});
  }
  return PreTokenizer(std::move(compiled));
}

absl::Status PreTokenizer::Split(std::string_view text,
                                 SplitPattern::Scratch* scratch,
                                 Sink sink) const {
  return SplitFrom(0, text, scratch, sink);
}

absl::Status PreTokenizer::SplitFrom(size_t step_index, std::string_view text,
                                     SplitPattern::Scratch* scratch,
                                     Sink sink) const {
  if (text.empty()) return absl::OkStatus();
  if (step_index == steps_.size()) {
    sink(text);
    return absl::OkStatus();
  }
  const Step& step = steps_[step_index];
  PieceJoiner joiner(step.behavior, text);
  const auto add = [&](size_t begin, size_t end, bool is_match) {
    if (begin == end) return absl::OkStatus();
    return SplitFrom(step_index + 1,
                     joiner.Add({begin, end, is_match != step.invert}), scratch,
                     sink);
  };
  size_t pos = 0;
  while (pos < text.size()) {
    QUIRE_ASSIGN_OR_RETURN(const std::optional<SplitPattern::Match> match,
                           step.pattern.Find(text, pos, scratch));
    const size_t gap_end = match.has_value() ? match->begin : text.size();
    QUIRE_RETURN_IF_ERROR(add(pos, gap_end, /*is_match=*/false));
    if (!match.has_value()) break;
    QUIRE_RETURN_IF_ERROR(add(match->begin, match->end, /*is_match=*/true));
    pos = match->end;
  }
  return SplitFrom(step_index + 1, joiner.Finish(), scratch, sink);
}

}  // namespace quire
