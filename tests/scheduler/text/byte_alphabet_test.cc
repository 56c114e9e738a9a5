#include "scheduler/text/byte_alphabet.h"

#include <gtest/gtest.h>

#include <string>

namespace quire {
namespace {

TEST(ByteAlphabetTest, EveryByteSurvivesTheRoundTrip) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte)
    bytes.push_back(static_cast<char>(byte));
  EXPECT_EQ(DecodeByteAlphabet(EncodeByteAlphabet(bytes)), bytes);
}

TEST(ByteAlphabetTest, WritesBlanksAsGpt2Does) {
  EXPECT_EQ(EncodeByteAlphabet(" a\n\t"), "\u0120a\u010a\u0109");
  EXPECT_EQ(EncodeByteAlphabet("\xC3\xA9"), "\u00c3\u00a9");
  EXPECT_EQ(EncodeByteAlphabet("\xAD"), "\u0143");  // The last of the 68.
}

TEST(ByteAlphabetTest, RefusesWhatIsNotInTheAlphabet) {
  EXPECT_EQ(DecodeByteAlphabet("a b"), std::nullopt);
  EXPECT_EQ(DecodeByteAlphabet("\u4f60"), std::nullopt);
  EXPECT_EQ(DecodeByteAlphabet("\u0144"), std::nullopt);
  EXPECT_EQ(DecodeByteAlphabet("\xFF"), std::nullopt);
}

}  // namespace
}  // namespace quire
