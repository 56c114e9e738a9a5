#ifndef QUIRE_SCHEDULER_TEXT_CHAT_TEMPLATE_H_
#define QUIRE_SCHEDULER_TEXT_CHAT_TEMPLATE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "scheduler/text/tokenizer.h"

namespace quire {

struct ChatTurn {
  std::string role;
  std::string content;
};

// Renders a chat as the model was trained on it. The well-known families are
// recognised from the text of the model's template; there is no Jinja
// interpreter. Immutable, thread-safe.
class ChatTemplate {
 public:
  // UNIMPLEMENTED: no template, or of no known family; the message says which
  // are known.
  static absl::StatusOr<std::unique_ptr<ChatTemplate>> Recognise(
      const Tokenizer& tokenizer);
  virtual ~ChatTemplate() = default;

  // "chatml", "llama-2", "llama-3", "mistral", "zephyr".
  virtual std::string_view family() const = 0;

  // INVALID_ARGUMENT: no messages, an unknown role, an order of roles that the
  // template refuses (with the index).
  virtual absl::StatusOr<std::vector<TextSegment>> Render(
      const std::vector<ChatTurn>& turns, bool add_generation_prompt) const = 0;
};

}  // namespace quire

#endif  // QUIRE_SCHEDULER_TEXT_CHAT_TEMPLATE_H_
