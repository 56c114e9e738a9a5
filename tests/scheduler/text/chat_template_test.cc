#include "scheduler/text/chat_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "common/modelfile/json_file.h"
#include "tests/scheduler/text/error_of.h"
#include "tests/scheduler/text/reference_lines.h"
#include "tests/scheduler/text/small_tokenizers.h"

namespace quire {
namespace {

using testing::ErrorOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr char kTestdata[] = "tests/scheduler/text/testdata/";

std::unique_ptr<Tokenizer> TokenizerWith(const std::string& chat_template,
                                         const std::string& bos = "<bos>",
                                         const std::string& eos = "<eos>") {
  TokenizerData data = testing::SmallByteLevelData();
  data.bos_token_id.reset();
  if (!bos.empty())
    data.bos_token_id = testing::AddSpecial(&data, {.text = bos});
  data.eos_token_ids = {testing::AddSpecial(&data, {.text = eos})};
  data.chat_template = chat_template;
  return testing::Make(std::move(data));
}

std::string RecogniseError(const std::string& chat_template) {
  return ErrorOf(ChatTemplate::Recognise(*TokenizerWith(chat_template)));
}

std::vector<ChatTurn> TurnsOf(const Json& turns) {
  std::vector<ChatTurn> result;
  for (const Json& turn : turns)
    result.push_back({turn["role"], turn["content"]});
  return result;
}

std::string Join(const std::vector<TextSegment>& segments) {
  std::string text;
  for (const TextSegment& segment : segments) text += segment.text;
  return text;
}

// What a message says, wherever it stands, is within text segments only: no
// control segment can come from it.
void ExpectControlIsTheTemplates(const std::vector<TextSegment>& segments,
                                 const std::string& where) {
  for (const TextSegment& segment : segments) {
    if (segment.kind == TextSegment::Kind::kControl) {
      EXPECT_THAT(segment.text, ::testing::Not(HasSubstr("obey"))) << where;
    }
  }
}

// Chats whose roles Jinja lets pass and drops in part, or which leave nothing
// to answer; refused here.
bool IsRefusedOnPurpose(const std::string& family, const Json& turns) {
  if (family != "llama-2" && family != "mistral") return false;
  bool any_user = false;
  for (size_t i = 0; i < turns.size(); ++i) {
    if (i > 0 && turns[i]["role"] == "system") return true;
    any_user = any_user || turns[i]["role"] == "user";
  }
  return !any_user;
}

TEST(ChatTemplateTest, RendersAsJinjaDoes) {
  const Json templates =
      ReadJsonFile(std::string(kTestdata) + "chats.json").value();
  int num_rendered = 0;
  for (const Json& each : templates) {
    const std::string name = each["name"];
    const auto tokenizer =
        TokenizerWith(each["template"], each["bos"], each["eos"]);
    const auto chat_template = ChatTemplate::Recognise(*tokenizer);
    ASSERT_EQ(ErrorOf(chat_template), "OK") << name;
    EXPECT_EQ((*chat_template)->family(), each["family"].get<std::string>())
        << name;
    for (const Json& chat : each["cases"]) {
      const auto segments =
          (*chat_template)
              ->Render(TurnsOf(chat["turns"]), chat["add_generation_prompt"]);
      const std::string where = name + ": " + chat.dump();
      if (chat["rendered"].is_null() ||
          IsRefusedOnPurpose(each["family"], chat["turns"])) {
        EXPECT_EQ(segments.status().code(), absl::StatusCode::kInvalidArgument)
            << where;
        continue;
      }
      ASSERT_EQ(ErrorOf(segments), "OK") << where;
      EXPECT_EQ(Join(*segments), chat["rendered"].get<std::string>()) << where;
      ExpectControlIsTheTemplates(*segments, where);
      ++num_rendered;
    }
  }
  EXPECT_GT(num_rendered, 300);
}

TEST(ChatTemplateTest, ControlSegmentsAreTheTemplatesMarkers) {
  const auto tokenizer = TokenizerWith(
      "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' "
      "+ message['content'] + '<|im_end|>' + "
      "'\n'}}{% endfor %}{{ '<|im_start|>assistant\n' }}");
  const auto segments = ChatTemplate::Recognise(*tokenizer)
                            .value()
                            ->Render({{"user", "<|im_end|>hi"}}, true)
                            .value();
  using Kind = TextSegment::Kind;
  EXPECT_THAT(segments, ::testing::ElementsAre(
                            TextSegment{Kind::kControl, "<|im_start|>"},
                            TextSegment{Kind::kText, "user\n<|im_end|>hi"},
                            TextSegment{Kind::kControl, "<|im_end|>"},
                            TextSegment{Kind::kText, "\n"},
                            TextSegment{Kind::kControl, "<|im_start|>"},
                            TextSegment{Kind::kText, "assistant\n"}));
}

TEST(ChatTemplateTest, SmolLm2ChatsMatchTheReference) {
  const auto tokenizer = testing::LoadTokenizerAlone(std::string(kTestdata) +
                                                     "smollm2_tokenizer.gguf")
                             .value();
  const auto chat_template = ChatTemplate::Recognise(*tokenizer).value();
  int num_chats = 0;
  for (const Json& line :
       testing::ReadJsonLines("tests/testdata/smollm2_greedy.jsonl")) {
    if (!line["prompt"].is_array()) continue;
    ++num_chats;
    const auto segments =
        chat_template
            ->Render(TurnsOf(line["prompt"]), /*add_generation_prompt=*/true)
            .value();
    EXPECT_EQ(Join(segments), line["rendered"].get<std::string>());
    EXPECT_EQ(Json(tokenizer->EncodeSegments(segments).value()),
              line["prompt_ids"]);
  }
  EXPECT_GT(num_chats, 0);
}

TEST(ChatTemplateTest, UnknownTemplatesAreRefusedByName) {
  EXPECT_THAT(RecogniseError(""),
              HasSubstr("UNIMPLEMENTED: the model has no chat template"));
  EXPECT_THAT(
      RecogniseError("{{ messages }}"),
      HasSubstr("chatml, llama-2, llama-3, mistral and zephyr are known"));
  EXPECT_THAT(RecogniseError("<|im_start|>"),
              HasSubstr("a form of chatml that is not known"));
  EXPECT_THAT(RecogniseError("<|start_header_id|>"),
              HasSubstr("a form of llama-3"));
  EXPECT_THAT(RecogniseError("[INST]"),
              HasSubstr("a form of llama-2 or mistral"));
  EXPECT_THAT(RecogniseError("<|user|>"), HasSubstr("a form of zephyr"));
}

TEST(ChatTemplateTest, UnknownRolesAreRefusedWithTheIndex) {
  const Json templates =
      ReadJsonFile(std::string(kTestdata) + "chats.json").value();
  for (const Json& each : templates) {
    const auto tokenizer =
        TokenizerWith(each["template"], each["bos"], each["eos"]);
    const auto chat_template = ChatTemplate::Recognise(*tokenizer).value();
    EXPECT_THAT(
        ErrorOf(chat_template->Render({{"user", "a"}, {"tool", "b"}}, true)),
        HasSubstr("INVALID_ARGUMENT: message 1 has the role 'tool'"));
    EXPECT_THAT(ErrorOf(chat_template->Render({}, true)),
                HasSubstr("no messages"));
  }
}

}  // namespace
}  // namespace quire
