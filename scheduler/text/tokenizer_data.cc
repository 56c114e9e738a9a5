#include "scheduler/text/tokenizer_data.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "common/modelfile/error_text.h"
#include "common/status_macros.h"
#include "scheduler/text/utf8.h"

namespace quire {
namespace {

constexpr size_t kMaxTokens = size_t{1} << 22;
constexpr size_t kMaxTokenBytes = 4096;

constexpr std::string_view kEndTokens[] = {
    "<|im_end|>",    "<|eot_id|>", "<|eom_id|>",    "<|end_of_text|>",
    "<|endoftext|>", "<|end|>",    "<end_of_turn>", "<|end_of_turn|>",
};

class Validator {
 public:
  explicit Validator(const TokenizerData& data) : data_(data) {}

  absl::Status Sizes() const {
    if (data_.tokens.empty() || data_.tokens.size() > kMaxTokens) {
      return absl::InvalidArgumentError(
          absl::StrCat("the vocabulary has ", data_.tokens.size(),
                       " tokens; from 1 to ", kMaxTokens, " are possible"));
    }
    for (size_t id = 0; id < data_.tokens.size(); ++id) {
      const size_t size = data_.tokens[id].bytes.size();
      if (size > kMaxTokenBytes) {
        return absl::InvalidArgumentError(
            absl::StrCat("token ", id, " is ", size,
                         " bytes long, the limit is ", kMaxTokenBytes));
      }
    }
    if (!data_.scores.empty() && data_.scores.size() != data_.tokens.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("there are ", data_.scores.size(), " scores for ",
                       data_.tokens.size(), " tokens"));
    }
    if (std::any_of(data_.scores.begin(), data_.scores.end(),
                    [](float score) { return std::isnan(score); })) {
      return absl::InvalidArgumentError("a score is not a number");
    }
    return absl::OkStatus();
  }

  absl::Status Ids() const {
    for (const TokenizerData::Merge& merge : data_.merges) {
      QUIRE_RETURN_IF_ERROR(
          InRange("a merge", {merge.left, merge.right, merge.result}));
    }
    QUIRE_RETURN_IF_ERROR(InRange("the added beginning", data_.prefix));
    QUIRE_RETURN_IF_ERROR(InRange("the added end", data_.suffix));
    QUIRE_RETURN_IF_ERROR(InRange("the end of sequence", data_.eos_token_ids));
    if (data_.bos_token_id)
      QUIRE_RETURN_IF_ERROR(
          InRange("the beginning of sequence", {*data_.bos_token_id}));
    if (data_.unknown_token)
      QUIRE_RETURN_IF_ERROR(
          InRange("the unknown token", {*data_.unknown_token}));
    return absl::OkStatus();
  }

  absl::Status SpecialTokens() const {
    for (const SpecialToken& token : data_.special_tokens) {
      QUIRE_RETURN_IF_ERROR(InRange("a special token", {token.id}));
      if (token.text.empty() || token.text.size() > kMaxTokenBytes) {
        return absl::InvalidArgumentError(absl::StrCat(
            "special token ", token.id, " is ", token.text.size(),
            " bytes long; from 1 to ", kMaxTokenBytes, " are possible"));
      }
      if (FindInvalidUtf8(token.text) != std::string_view::npos) {
        return absl::InvalidArgumentError(
            absl::StrCat("special token ", token.id, " is not valid UTF-8"));
      }
    }
    return absl::OkStatus();
  }

 private:
  absl::Status InRange(const char* what, const std::vector<Token>& ids) const {
    for (const Token id : ids) {
      if (id < 0 || static_cast<size_t>(id) >= data_.tokens.size()) {
        return absl::InvalidArgumentError(
            absl::StrCat(what, " names token ", id, ", but the vocabulary has ",
                         data_.tokens.size(), " tokens"));
      }
    }
    return absl::OkStatus();
  }

  const TokenizerData& data_;
};

}  // namespace

absl::Status TokenizerData::Validate() const {
  const Validator validator(*this);
  QUIRE_RETURN_IF_ERROR(validator.Sizes());
  QUIRE_RETURN_IF_ERROR(validator.Ids());
  return validator.SpecialTokens();
}

void AddWellKnownEndTokens(TokenizerData* data) {
  auto& ends = data->eos_token_ids;
  for (const SpecialToken& token : data->special_tokens) {
    const bool known = std::find(std::begin(kEndTokens), std::end(kEndTokens),
                                 token.text) != std::end(kEndTokens);
    if (!known || !token.is_control) continue;
    if (std::find(ends.begin(), ends.end(), token.id) == ends.end())
      ends.push_back(token.id);
  }
}

}  // namespace quire
