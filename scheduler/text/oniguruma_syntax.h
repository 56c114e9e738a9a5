#ifndef QUIRE_SCHEDULER_TEXT_ONIGURUMA_SYNTAX_H_
#define QUIRE_SCHEDULER_TEXT_ONIGURUMA_SYNTAX_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace quire {

// `regex`, in the syntax of Oniguruma (Ruby's) that tokenizer.json uses, for
// PCRE2 with the options UTF, UCP and MULTILINE. The two agree but for a few
// constructs: \s is written out as Unicode's White_Space, since PCRE2's has
// U+180E too; UNIMPLEMENTED names those that cannot be carried over (\w, \b,
// \h, set operations and the like).
absl::StatusOr<std::string> OnigurumaToPcre2(std::string_view regex);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_ONIGURUMA_SYNTAX_H_
