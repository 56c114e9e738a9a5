#include "client/chat_session.h"

#include <optional>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Holds a conversation with a server that says what the test set.
class ChatSessionTest : public testing::Test {
 protected:
  void Begin(const std::string& system = "") {
    quire::v1::GenerateRequest options;
    options.mutable_sampling()->set_seed(7);
    session_.emplace(
        options, system,
        [this](const quire::v1::GenerateRequest& request, std::string& answer) {
          last_request_ = request;
          answer = answer_;
          return status_;
        },
        [this](const std::string& text) { told_ += text; });
  }

  // Sends a message that is answered by `answer`.
  absl::Status Say(const std::string& line, const std::string& answer,
                   absl::Status status = absl::OkStatus()) {
    answer_ = answer;
    status_ = status;
    return session_->Take(line);
  }

  // The messages of the last request as "role: content".
  std::vector<std::string> Sent() const {
    std::vector<std::string> messages;
    for (const auto& message : last_request_.chat().messages()) {
      messages.push_back(message.role() + ": " + message.content());
    }
    return messages;
  }

  std::optional<ChatSession> session_;
  quire::v1::GenerateRequest last_request_;
  std::string answer_;
  absl::Status status_;
  std::string told_;
};

TEST_F(ChatSessionTest, EachRequestCarriesTheConversationSoFar) {
  Begin("Be brief.");
  EXPECT_TRUE(Say("Hi", "Hello!").ok());
  EXPECT_TRUE(Say("Bye", "So long.").ok());
  EXPECT_THAT(Sent(), ElementsAre("system: Be brief.", "user: Hi",
                                  "assistant: Hello!", "user: Bye"));
}

TEST_F(ChatSessionTest, EachRequestCarriesTheOptions) {
  Begin();
  EXPECT_TRUE(Say("Hi", "Hello!").ok());
  EXPECT_EQ(last_request_.sampling().seed(), 7);
}

TEST_F(ChatSessionTest, ACancelledAnswerStaysAsFarAsItCame) {
  Begin();
  EXPECT_TRUE(Say("Tell me all", "Well,", absl::CancelledError()).ok());
  EXPECT_TRUE(Say("Less", "Fine.").ok());
  EXPECT_THAT(Sent(), ElementsAre("user: Tell me all", "assistant: Well,",
                                  "user: Less"));
}

TEST_F(ChatSessionTest, AFailedMessageIsForgotten) {
  Begin();
  EXPECT_EQ(Say("Hi", "He", absl::UnavailableError("down")).code(),
            absl::StatusCode::kUnavailable);
  EXPECT_TRUE(Say("Hi again", "Hello!").ok());
  EXPECT_THAT(Sent(), ElementsAre("user: Hi again"));
}

TEST_F(ChatSessionTest, ResetKeepsTheSystemMessageOnly) {
  Begin("Be brief.");
  EXPECT_TRUE(Say("Hi", "Hello!").ok());
  EXPECT_TRUE(session_->Take("/reset").ok());
  EXPECT_TRUE(Say("Who?", "Me.").ok());
  EXPECT_THAT(Sent(), ElementsAre("system: Be brief.", "user: Who?"));
}

TEST_F(ChatSessionTest, SystemSetsTheSystemMessageAndBeginsAnew) {
  Begin("Be brief.");
  EXPECT_TRUE(Say("Hi", "Hello!").ok());
  EXPECT_TRUE(session_->Take("/system Be  verbose. ").ok());
  EXPECT_TRUE(Say("Who?", "Me.").ok());
  EXPECT_THAT(Sent(), ElementsAre("system: Be  verbose.", "user: Who?"));
}

TEST_F(ChatSessionTest, AnEmptySystemMessageIsNone) {
  Begin("Be brief.");
  EXPECT_TRUE(session_->Take("/system").ok());
  EXPECT_TRUE(Say("Who?", "Me.").ok());
  EXPECT_THAT(Sent(), ElementsAre("user: Who?"));
}

TEST_F(ChatSessionTest, ALineThatIsNotUtf8IsRefused) {
  Begin();
  EXPECT_EQ(Say("\xff", "never").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(Say("Hi", "Hello!").ok());
  EXPECT_THAT(Sent(), ElementsAre("user: Hi"));
}

TEST_F(ChatSessionTest, BlankLinesAskNothing) {
  Begin();
  EXPECT_TRUE(Say("  ", "never").ok());
  EXPECT_EQ(last_request_.chat().messages_size(), 0);
}

TEST_F(ChatSessionTest, AnUnknownCommandListsTheKnownAndAsksNothing) {
  Begin();
  EXPECT_TRUE(Say("/rest", "never").ok());
  EXPECT_THAT(told_, HasSubstr("No command /rest."));
  EXPECT_THAT(told_, HasSubstr("/reset"));
  EXPECT_EQ(last_request_.chat().messages_size(), 0);
}

}  // namespace
}  // namespace quire
