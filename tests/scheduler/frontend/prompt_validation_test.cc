#include "scheduler/frontend/prompt_validation.h"

#include <string>

#include "gtest/gtest.h"
#include "tests/scheduler/frontend/text_proto.h"

namespace quire {
namespace {

using ::quire::testing::FromText;

// Eight bytes a token at most: 800 bytes of text can fit.
const ModelLimits kLimits = {
    .vocabulary_size = 1000, .context_length = 100, .longest_token_bytes = 8};

std::string Refusal(const v1::GenerateRequest& request) {
  return std::string(CheckPrompt(request, kLimits).message());
}

TEST(PromptValidationTest, ATextThatCannotFitIsRefusedByItsSize) {
  v1::GenerateRequest request;
  request.set_text(std::string(800, 'x'));
  EXPECT_EQ(Refusal(request), "");
  request.set_text(std::string(801, 'x'));
  EXPECT_EQ(Refusal(request),
            "text has 801 bytes; the context length of 100 tokens, of at most "
            "8 bytes each, can hold 800");
}

TEST(PromptValidationTest,
     AChatThatCannotFitIsRefusedByTheSizeOfAllItsMessages) {
  auto request = FromText<v1::GenerateRequest>(
      "chat { messages { role: 'user' } messages { role: 'user' } }");
  request.mutable_chat()->mutable_messages(0)->set_content(
      std::string(792, 'x'));
  EXPECT_EQ(Refusal(request), "");
  request.mutable_chat()->mutable_messages(1)->set_content("y");
  EXPECT_EQ(Refusal(request),
            "chat has 801 bytes; the context length of 100 tokens, of at most "
            "8 bytes each, can hold 800");
}

TEST(PromptValidationTest, AChatHasAMostNumberOfMessages) {
  v1::Chat chat;
  EXPECT_EQ(CheckChat(chat).message(),
            "chat.messages has 0 entries; it must have at least 1");
  for (int i = 0; i < 16384; ++i) chat.add_messages();
  EXPECT_TRUE(CheckChat(chat).ok());
  chat.add_messages();
  EXPECT_EQ(CheckChat(chat).message(),
            "chat.messages has 16385 entries; it must have at most 16384");
}

TEST(PromptValidationTest, TooManyTokenIdsAreRefusedBeforeTheyAreRead) {
  v1::GenerateRequest request;
  request.mutable_token_ids()->mutable_ids()->Resize(100, -1);
  EXPECT_EQ(
      Refusal(request),
      "prompt has 100 tokens; it must have fewer than the context length, 100");
}

TEST(PromptValidationTest, APromptLeavesRoomForOneToken) {
  EXPECT_EQ(CheckPromptLength(0, kLimits).message(),
            "prompt has 0 tokens; it must have at least 1");
  EXPECT_TRUE(CheckPromptLength(1, kLimits).ok());
  EXPECT_TRUE(CheckPromptLength(99, kLimits).ok());
  EXPECT_EQ(
      CheckPromptLength(100, kLimits).message(),
      "prompt has 100 tokens; it must have fewer than the context length, 100");
}

}  // namespace
}  // namespace quire
