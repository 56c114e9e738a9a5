#include "scheduler/text/stop_matcher.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "scheduler/text/utf8.h"

namespace quire {
namespace {

TEST(StopMatcherTest, WithoutStopsEverythingPasses) {
  StopMatcher matcher({});
  EXPECT_EQ(matcher.Append("abc").text, "abc");
  EXPECT_EQ(matcher.Flush(), "");
}

TEST(StopMatcherTest, HoldsBackOnlyWhatCanStillMatch) {
  StopMatcher matcher({"</s>"});
  EXPECT_EQ(matcher.Append("a<").text, "a");
  EXPECT_EQ(matcher.Append("/").text, "");
  EXPECT_EQ(matcher.Append("s<").text, "</s");
  EXPECT_EQ(matcher.Flush(), "<");
}

TEST(StopMatcherTest, TheTextEndsWhereTheStopBegins) {
  StopMatcher matcher({"END", "STOP"});
  EXPECT_EQ(matcher.Append("go ST").text, "go ");
  const auto result = matcher.Append("OP on");
  EXPECT_EQ(result.text, "");
  EXPECT_EQ(result.stop, "STOP");
  EXPECT_EQ(matcher.Flush(), "");
}

TEST(StopMatcherTest, TheFirstToEndWinsThenTheFirstToBegin) {
  EXPECT_EQ(StopMatcher({"abcd", "bc"}).Append("abcd").stop, "bc");
  EXPECT_EQ(StopMatcher({"bc", "abc"}).Append("abc").stop, "abc");
  EXPECT_EQ(StopMatcher({"bc", "abc"}).Append("xabc").text, "x");
}

struct Outcome {
  std::string text;
  std::optional<std::string> stop;
};

// Looks at every beginning of the text in turn.
Outcome FindNaively(const std::vector<std::string>& stops,
                    const std::string& text) {
  for (size_t end = 1; end <= text.size(); ++end) {
    std::optional<std::string> longest;
    for (const std::string& stop : stops) {
      const bool ends_here =
          stop.size() <= end &&
          text.compare(end - stop.size(), stop.size(), stop) == 0;
      if (ends_here && (!longest || stop.size() > longest->size()))
        longest = stop;
    }
    if (longest) return {text.substr(0, end - longest->size()), longest};
  }
  return {text, std::nullopt};
}

// The longest suffix of `text` that begins some stop string.
size_t LongestHope(const std::vector<std::string>& stops,
                   const std::string& text) {
  for (size_t length = text.size(); length > 0; --length) {
    const std::string suffix = text.substr(text.size() - length);
    for (const std::string& stop : stops) {
      if (stop.compare(0, length, suffix) == 0) return length;
    }
  }
  return 0;
}

std::string RandomText(std::mt19937& random, size_t max_characters) {
  const char* characters[] = {"a", "b", "\u00e9", "\u00e8", "\u4f60"};
  std::string text;
  for (size_t count = 1 + random() % max_characters; count > 0; --count)
    text += characters[random() % 5];
  return text;
}

TEST(StopMatcherTest, AgreesWithANaiveSearchOnRandomStreams) {
  std::mt19937 random(1);
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::string> stops(1 + random() % 4);
    for (std::string& stop : stops) stop = RandomText(random, 4);
    StopMatcher matcher(stops);
    std::string sent, shown;
    std::optional<std::string> stop;
    for (int i = 0; i < 6 && !stop; ++i) {
      const std::string part = RandomText(random, 4);
      sent += part;
      const auto result = matcher.Append(part);
      ASSERT_EQ(FindInvalidUtf8(result.text), std::string::npos);
      shown += result.text;
      stop = result.stop;
      if (!stop)
        ASSERT_EQ(sent.size() - shown.size(), LongestHope(stops, sent));
    }
    const Outcome expected = FindNaively(stops, sent);
    ASSERT_EQ(stop, expected.stop);
    ASSERT_EQ(stop ? shown : shown + matcher.Flush(), expected.text);
  }
}

}  // namespace
}  // namespace quire
