#include "scheduler/frontend/text_output_filter.h"

#include <utility>

namespace quire {
namespace {

// A model's vocabulary may be padded beyond the tokenizer's; those ids have no
// text.
bool HasText(const Tokenizer& tokenizer, Token token) {
  return token < tokenizer.vocabulary_size();
}

}  // namespace

TextOutputFilter::TextOutputFilter(const Tokenizer* tokenizer,
                                   const Options& options)
    : tokenizer_(tokenizer),
      include_stop_(options.include_stop),
      min_tokens_(options.min_tokens),
      detokenizer_(tokenizer),
      matcher_(options.stop) {}

OutputFilter::Output TextOutputFilter::Append(Token token, bool ends) {
  ++num_tokens_;
  if (!HasText(*tokenizer_, token)) return {};
  if (ends) {
    if (include_stop_) stop_token_text_ = StopTokenText(token);
    return {};
  }
  std::string text = detokenizer_.Append(token);
  if (num_tokens_ < min_tokens_) return {.text = std::move(text)};
  StopMatcher::Result found = matcher_.Append(text);
  if (found.stop && include_stop_) found.text += *found.stop;
  return {.text = std::move(found.text), .stop = std::move(found.stop)};
}

std::string TextOutputFilter::Finish() {
  return matcher_.Flush() + stop_token_text_ + detokenizer_.Flush();
}

std::string TextOutputFilter::StopTokenText(Token token) {
  if (!tokenizer_->IsControl(token)) return detokenizer_.Append(token);
  Detokenizer shown(tokenizer_, Detokenizer::ControlTokens::kShow);
  std::string text = detokenizer_.Flush();
  text += shown.Append(token);
  return text + shown.Flush();
}

}  // namespace quire
