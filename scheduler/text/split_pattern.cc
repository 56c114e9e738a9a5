#define PCRE2_CODE_UNIT_WIDTH 8
#include "scheduler/text/split_pattern.h"

#include <pcre2.h>

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "common/check.h"
#include "common/modelfile/error_text.h"
#include "common/status_macros.h"
#include "common/strings.h"
#include "scheduler/text/oniguruma_syntax.h"
#include "scheduler/text/utf8.h"

namespace quire {
namespace {

// Far above what a sane pattern needs for megabytes, and still a fraction of a
// second.
constexpr uint32_t kMatchLimit = 10'000'000;
constexpr uint32_t kHeapLimitKibibytes = 64 << 10;
constexpr size_t kJitStackStart = 32 << 10;
constexpr size_t kJitStackMax = 8 << 20;

std::string PcreMessage(int code) {
  PCRE2_UCHAR text[256];
  pcre2_get_error_message(code, text, sizeof(text));
  return reinterpret_cast<const char*>(text);
}

}  // namespace

SplitPattern::Scratch::Scratch()
    : match_data_(pcre2_match_data_create(1, nullptr)),
      context_(pcre2_match_context_create(nullptr)) {
  QUIRE_CHECK(match_data_ != nullptr && context_ != nullptr);
  pcre2_set_match_limit(context_, kMatchLimit);
  pcre2_set_heap_limit(context_, kHeapLimitKibibytes);
}

bool SplitPattern::Scratch::GrowStack() {
  if (stack_ != nullptr) return false;
  stack_ = pcre2_jit_stack_create(kJitStackStart, kJitStackMax, nullptr);
  if (stack_ == nullptr) return false;
  pcre2_jit_stack_assign(context_, nullptr, stack_);
  return true;
}

SplitPattern::Scratch::~Scratch() {
  pcre2_match_data_free(match_data_);
  pcre2_match_context_free(context_);
  if (stack_ != nullptr) pcre2_jit_stack_free(stack_);
}

void SplitPattern::FreeCode::operator()(pcre2_real_code_8* code) const {
  pcre2_code_free(code);
}

SplitPattern::SplitPattern(pcre2_real_code_8* code) : code_(code) {}
SplitPattern::SplitPattern(SplitPattern&&) noexcept = default;
SplitPattern& SplitPattern::operator=(SplitPattern&&) noexcept = default;
SplitPattern::~SplitPattern() = default;

absl::StatusOr<SplitPattern> SplitPattern::CompileRegex(
    std::string_view regex) {
  QUIRE_ASSIGN_OR_RETURN(const std::string pattern, OnigurumaToPcre2(regex));
  return Compile(pattern, PCRE2_UTF | PCRE2_UCP | PCRE2_MULTILINE);
}

absl::StatusOr<SplitPattern> SplitPattern::CompileLiteral(
    std::string_view text) {
  if (text.empty())
    return absl::InvalidArgumentError("an empty text splits nothing");
  return Compile(text, PCRE2_UTF | PCRE2_LITERAL);
}

absl::StatusOr<SplitPattern> SplitPattern::Compile(std::string_view pattern,
                                                   uint32_t options) {
  int error = 0;
  size_t offset = 0;
  pcre2_code* code =
      pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()),
                    pattern.size(), options, &error, &offset, nullptr);
  if (code == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "split pattern ", Quoted(pattern), " does not compile at byte ", offset,
        ": ", PcreMessage(error)));
  }
  pcre2_jit_compile(
      code, PCRE2_JIT_COMPLETE);  // Where it fails, matching interprets.
  return SplitPattern(code);
}

int SplitPattern::MatchOnce(std::string_view text, size_t from,
                            Scratch* scratch) const {
  return pcre2_match(code_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()),
                     text.size(), from, PCRE2_NO_UTF_CHECK,
                     scratch->match_data_, scratch->context_);
}

absl::StatusOr<std::optional<SplitPattern::Match>> SplitPattern::Find(
    std::string_view text, size_t from, Scratch* scratch) const {
  while (from < text.size()) {
    int result = MatchOnce(text, from, scratch);
    if (result == PCRE2_ERROR_JIT_STACKLIMIT && scratch->GrowStack())
      result = MatchOnce(text, from, scratch);
    if (result == PCRE2_ERROR_NOMATCH) return std::nullopt;
    if (result < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("the model's split pattern gives up at byte ", from,
                       " of a run: ", PcreMessage(result)));
    }
    const size_t* bounds = pcre2_get_ovector_pointer(scratch->match_data_);
    // \K within a lookahead can put the end before the beginning.
    if (bounds[0] < bounds[1] && bounds[0] >= from)
      return Match{bounds[0], bounds[1]};
    if (bounds[0] >= text.size() || bounds[0] < from) return std::nullopt;
    from = bounds[0] + Utf8Length(text[bounds[0]]);
  }
  return std::nullopt;
}

}  // namespace quire
