#ifndef QUIRE_SCHEDULER_TEXT_JSON_TOKENIZER_H_
#define QUIRE_SCHEDULER_TEXT_JSON_TOKENIZER_H_

#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "scheduler/text/tokenizer_data.h"

namespace quire {

// The tokenizer of a Hugging Face folder: tokenizer.json, and where they are
// there tokenizer_config.json and chat_template.jinja. BPE, byte-level or as
// SentencePiece. Errors name the file. NOT_FOUND: there is no tokenizer.json.
// INVALID_ARGUMENT: what is broken. UNIMPLEMENTED names a model, stage or
// option that is not known.
absl::StatusOr<TokenizerData> ReadJsonTokenizer(const std::string& folder);

// The same from parsed files; `config` (tokenizer_config.json) may be null.
absl::StatusOr<TokenizerData> ParseJsonTokenizer(
    const nlohmann::json& tokenizer, const nlohmann::json& config);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_JSON_TOKENIZER_H_
