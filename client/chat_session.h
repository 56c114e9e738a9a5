#ifndef QUIRE_CLIENT_CHAT_SESSION_H_
#define QUIRE_CLIENT_CHAT_SESSION_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "quire/v1/quire.pb.h"

namespace quire {

// A conversation: its messages so far, and what each new line of the user does
// to it. Lines that begin with '/' are commands: /system TEXT sets the system
// message, /reset forgets all messages but that one, /help lists these. Not
// thread-safe.
class ChatSession {
 public:
  // Asks a server: `request` is complete. Puts the answer's text into `answer`,
  // also what there is of an answer that failed or was cancelled.
  using Ask = std::function<absl::Status(
      const quire::v1::GenerateRequest& request, std::string& answer)>;
  // Tells the user something that is not part of an answer.
  using Tell = std::function<void(const std::string& text)>;

  // Every request is `options` with the conversation as its prompt.
  ChatSession(quire::v1::GenerateRequest options, std::string system, Ask ask,
              Tell tell);

  // Takes one line of the user. A cancelled answer stays in the conversation as
  // far as it came; after any other error the conversation is as it was before
  // the line, and the error is returned.
  absl::Status Take(const std::string& line);

 private:
  void Command(const std::string& line);
  void Reset();

  quire::v1::GenerateRequest request_;
  std::string system_;
  Ask ask_;
  Tell tell_;
};

}  // namespace quire

#endif  // QUIRE_CLIENT_CHAT_SESSION_H_
