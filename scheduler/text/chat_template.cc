#include "scheduler/text/chat_template.h"

#include <utility>

#include "absl/status/status.h"
#include "scheduler/text/chat_turns.h"
#include "scheduler/text/chatml_template.h"
#include "scheduler/text/inst_template.h"
#include "scheduler/text/llama3_template.h"
#include "scheduler/text/zephyr_template.h"

namespace quire {
namespace {

TemplateSource ReadSource(const Tokenizer& tokenizer) {
  TemplateSource source;
  source.text = tokenizer.chat_template();
  source.forms = ReadForms(source.text);
  if (const auto bos = tokenizer.bos_token_id())
    source.bos = tokenizer.TokenBytes(*bos);
  if (!tokenizer.eos_token_ids().empty())
    source.eos = tokenizer.TokenBytes(tokenizer.eos_token_ids()[0]);
  return source;
}

}  // namespace

absl::StatusOr<std::unique_ptr<ChatTemplate>> ChatTemplate::Recognise(
    const Tokenizer& tokenizer) {
  TemplateSource source = ReadSource(tokenizer);
  if (source.text.empty())
    return absl::UnimplementedError("the model has no chat template");
  if (source.Contains("<|im_start|>"))
    return ChatmlTemplate::Create(std::move(source));
  if (source.Contains("<|start_header_id|>"))
    return Llama3Template::Create(std::move(source));
  if (source.Contains("[INST]")) return InstTemplate::Create(std::move(source));
  if (source.Contains("<|user|>"))
    return ZephyrTemplate::Create(std::move(source));
  return absl::UnimplementedError(
      "the model's chat template is of no known family; chatml, llama-2, "
      "llama-3, mistral and zephyr are known");
}

}  // namespace quire
