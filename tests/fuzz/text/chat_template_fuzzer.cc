#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/check.h"
#include "scheduler/text/chat_template.h"
#include "tests/scheduler/text/small_tokenizers.h"

// A chat template. One that is recognised renders every chat to valid segments
// or refuses it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  quire::TokenizerData parts;
  parts.kind = quire::TokenizerData::Kind::kByteLevel;
  parts.chat_template = std::string(reinterpret_cast<const char*>(data), size);
  parts.bos_token_id = quire::testing::AddSpecial(&parts, {.text = "<s>"});
  parts.eos_token_ids = {quire::testing::AddSpecial(&parts, {.text = "</s>"})};
  const auto tokenizer = quire::testing::Make(std::move(parts));
  const auto chat_template = quire::ChatTemplate::Recognise(*tokenizer);
  if (!chat_template.ok()) return 0;
  for (const char* first : {"system", "user"}) {
    const auto segments = (*chat_template)
                              ->Render({{first, "</s>"}, {"user", " b "}},
                                       /*add_generation_prompt=*/true);
    if (!segments.ok()) continue;
    for (const quire::TextSegment& segment : *segments)
      QUIRE_CHECK(!segment.text.empty());
  }
  return 0;
}
