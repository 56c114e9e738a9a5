#ifndef QUIRE_SCHEDULER_TEXT_SPLIT_PATTERN_H_
#define QUIRE_SCHEDULER_TEXT_SPLIT_PATTERN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

struct pcre2_real_code_8;
struct pcre2_real_match_context_8;
struct pcre2_real_match_data_8;
struct pcre2_real_jit_stack_8;

namespace quire {

// A pattern that cuts text into words, as tokenizer.json writes it: the syntax
// of Oniguruma, over Unicode. Compiled by PCRE2, just in time where the machine
// allows it. Immutable, thread-safe.
class SplitPattern {
 public:
  // What one thread needs while it matches, with any number of patterns.
  class Scratch {
   public:
    Scratch();
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

   private:
    friend class SplitPattern;
    // False: there already is a larger stack, or none can be had.
    bool GrowStack();

    pcre2_real_match_data_8* match_data_;
    pcre2_real_match_context_8* context_;
    // Compiled code runs on the thread's own stack until it needs more than 32
    // KiB.
    pcre2_real_jit_stack_8* stack_ = nullptr;
  };

  // INVALID_ARGUMENT: it does not compile, and why. UNIMPLEMENTED names a
  // construct that means something else, or nothing, to PCRE2.
  static absl::StatusOr<SplitPattern> CompileRegex(std::string_view regex);
  // A pattern that matches just this text. INVALID_ARGUMENT: empty.
  static absl::StatusOr<SplitPattern> CompileLiteral(std::string_view text);

  SplitPattern(SplitPattern&&) noexcept;
  SplitPattern& operator=(SplitPattern&&) noexcept;
  ~SplitPattern();

  struct Match {
    size_t begin;
    size_t end;
  };
  // The first match that begins at or after `from` and is not empty; nullopt:
  // there is none. INVALID_ARGUMENT: the pattern needs too many steps or too
  // much memory for this text. REQUIRES: `text` is valid UTF-8, `from` falls on
  // a character.
  absl::StatusOr<std::optional<Match>> Find(std::string_view text, size_t from,
                                            Scratch* scratch) const;

 private:
  struct FreeCode {
    void operator()(pcre2_real_code_8* code) const;
  };
  explicit SplitPattern(pcre2_real_code_8* code);
  static absl::StatusOr<SplitPattern> Compile(std::string_view pattern,
                                              uint32_t options);
  int MatchOnce(std::string_view text, size_t from, Scratch* scratch) const;

  std::unique_ptr<pcre2_real_code_8, FreeCode> code_;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_SPLIT_PATTERN_H_
