#include "client/message_json.h"

#include <limits>

#include "gtest/gtest.h"
#include "quire/v1/quire.pb.h"

namespace quire {
namespace {

TEST(MessageToJsonTest, NamesEveryFieldAlsoAbsentOnes) {
  quire::v1::Usage usage;
  usage.set_prompt_tokens(12);
  EXPECT_EQ(ToLine(MessageToJson(usage)),
            R"({"prompt_tokens":12,"cached_prompt_tokens":0,)"
            R"("generated_tokens":0})");
}

TEST(MessageToJsonTest, WritesLargeNumbersAsNumbers) {
  quire::v1::StatusResponse status;
  status.set_epoch(std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(MessageToJson(status)["epoch"],
            std::numeric_limits<uint64_t>::max());
}

TEST(MessageToJsonTest, WritesNestedAndRepeatedMessages) {
  quire::v1::StatusResponse status;
  status.mutable_blocks()->set_total(5);
  status.add_workers()->set_peer("unix:");
  const nlohmann::ordered_json json = MessageToJson(status);
  EXPECT_EQ(json["blocks"]["total"], 5);
  ASSERT_EQ(json["workers"].size(), 1);
  EXPECT_EQ(json["workers"][0]["peer"], "unix:");
  EXPECT_EQ(json["requests"], nlohmann::ordered_json::array());
}

TEST(MessageToJsonTest, WritesBytesAsNumbersAndEnumsByName) {
  quire::v1::WatchBlocksResponse frame;
  frame.set_blocks(std::string("\x00\x41\xff", 3));
  EXPECT_EQ(MessageToJson(frame)["blocks"],
            nlohmann::ordered_json({0, 0x41, 0xff}));
  quire::v1::GenerateResponse response;
  response.set_finish_reason(quire::v1::FINISH_REASON_STOP);
  EXPECT_EQ(MessageToJson(response)["finish_reason"], "FINISH_REASON_STOP");
}

TEST(ShortestDecimalTest, ReadsBackAsTheSameFloat) {
  EXPECT_EQ(ShortestDecimal(0.1f), 0.1);
  EXPECT_EQ(ShortestDecimal(-12.375f), -12.375);
  for (const float value : {1.0f / 3, -1e-30f, 16777217.0f}) {
    EXPECT_EQ(static_cast<float>(ShortestDecimal(value)), value);
  }
}

TEST(ToLineTest, ReplacesInvalidUtf8) {
  EXPECT_EQ(ToLine("a\xff"), "\"a\xef\xbf\xbd\"");
}

}  // namespace
}  // namespace quire
