#include <cstddef>
#include <cstdint>
#include <string_view>

#include "common/check.h"
#include "common/modelfile/json_file.h"
#include "scheduler/text/bpe_tokenizer.h"
#include "scheduler/text/chat_template.h"
#include "scheduler/text/json_tokenizer.h"

// A tokenizer.json, which is its own tokenizer_config.json. What is accepted
// encodes, names only tokens that exist, and makes no control token of plain
// text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto json = quire::ParseJson(text);
  if (!json.ok()) return 0;
  auto parsed = quire::ParseJsonTokenizer(*json, *json);
  if (!parsed.ok()) return 0;
  // A large id asks for a large table, which is slow to fill a million times.
  if (parsed->tokens.size() > 10'000) return 0;
  const auto tokenizer = quire::BpeTokenizer::Create(*std::move(parsed));
  if (!tokenizer.ok()) return 0;
  for (const char* sample :
       {"", "ab a\u0301b  <s> 12\n", "\u4f60\u597d\u2581'll"}) {
    const auto tokens =
        (*tokenizer)
            ->Encode(sample, {.parse_special = false, .add_special = false});
    if (!tokens.ok()) continue;
    for (const quire::Token token : *tokens) {
      QUIRE_CHECK(token >= 0 && token < (*tokenizer)->vocabulary_size());
      QUIRE_CHECK((*tokenizer)->TokenBytes(token).size() <= 4096);
    }
    (void)(*tokenizer)->Encode(sample, {});
  }
  (void)quire::ChatTemplate::Recognise(**tokenizer);
  return 0;
}
