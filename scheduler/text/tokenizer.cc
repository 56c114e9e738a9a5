#include "scheduler/text/tokenizer.h"

#include <utility>

#include "common/status_macros.h"
#include "scheduler/text/bpe_tokenizer.h"
#include "scheduler/text/gguf_tokenizer.h"
#include "scheduler/text/json_tokenizer.h"

namespace quire {

absl::StatusOr<std::unique_ptr<Tokenizer>> Tokenizer::Load(
    const ModelFiles& files) {
  QUIRE_ASSIGN_OR_RETURN(TokenizerData data,
                         files.gguf() != nullptr
                             ? ReadGgufTokenizer(*files.gguf())
                             : ReadJsonTokenizer(files.folder()));
  return BpeTokenizer::Create(std::move(data));
}

}  // namespace quire
