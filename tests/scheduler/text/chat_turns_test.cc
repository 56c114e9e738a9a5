#include "scheduler/text/chat_turns.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/scheduler/text/error_of.h"

namespace quire {
namespace {

using testing::ErrorOf;
using ::testing::HasSubstr;

// One turn for each letter.
std::vector<ChatTurn> Turns(const std::string& roles) {
  std::vector<ChatTurn> turns;
  for (const char role : roles) {
    turns.push_back({role == 's'   ? "system"
                     : role == 'u' ? "user"
                     : role == 'a' ? "assistant"
                                   : "tool",
                     "text"});
  }
  return turns;
}

TEST(ChatTurnsTest, KnowsThreeRoles) {
  EXPECT_EQ(ErrorOf(CheckRoles(Turns("sua"))), "OK");
  EXPECT_THAT(ErrorOf(CheckRoles({})),
              HasSubstr("INVALID_ARGUMENT: the chat has no messages"));
  EXPECT_THAT(ErrorOf(CheckRoles(Turns("ut"))),
              HasSubstr("message 1 has the role 'tool'"));
}

TEST(ChatTurnsTest, UserAndAssistantTakeTurns) {
  for (const char* roles : {"u", "uau", "su", "suau"})
    EXPECT_EQ(ErrorOf(CheckAlternation(Turns(roles), true)), "OK");
  EXPECT_THAT(ErrorOf(CheckAlternation(Turns("uu"), true)),
              HasSubstr("message 1 has the role user where"));
  EXPECT_THAT(ErrorOf(CheckAlternation(Turns("sa"), true)),
              HasSubstr("message 1 has the role assistant"));
  EXPECT_THAT(ErrorOf(CheckAlternation(Turns("us"), true)),
              HasSubstr("message 1 has the role system"));
  EXPECT_THAT(ErrorOf(CheckAlternation(Turns("s"), true)),
              HasSubstr("needs a user message"));
  EXPECT_THAT(ErrorOf(CheckAlternation(Turns("su"), false)),
              HasSubstr("message 0 has the role system"));
}

}  // namespace
}  // namespace quire
