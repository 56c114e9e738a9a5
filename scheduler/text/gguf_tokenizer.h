#ifndef QUIRE_SCHEDULER_TEXT_GGUF_TOKENIZER_H_
#define QUIRE_SCHEDULER_TEXT_GGUF_TOKENIZER_H_

#include "absl/status/statusor.h"
#include "common/modelfile/gguf_file.h"
#include "scheduler/text/tokenizer_data.h"

namespace quire {

// The tokenizer in the metadata of a GGUF file: tokenizer.ggml.model "gpt2"
// (byte-level, with a named pre-tokenizer) or "llama" (SentencePiece with
// scores). INVALID_ARGUMENT: a key is missing, or what it holds is broken.
// UNIMPLEMENTED names a model or pre-tokenizer that is not known. Errors name
// the file.
absl::StatusOr<TokenizerData> ReadGgufTokenizer(const GgufFile& file);

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_GGUF_TOKENIZER_H_
