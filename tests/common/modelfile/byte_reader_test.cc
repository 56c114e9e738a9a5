#include "common/modelfile/byte_reader.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/common/modelfile/is_error.h"

namespace quire {
namespace {

using testing::IsInvalid;

ByteReader ReaderOf(const std::string& bytes) {
  return ByteReader(std::as_bytes(std::span(bytes)));
}

TEST(ByteReader, ValuesAreLittleEndianAndNeedNoAlignment) {
  const std::string bytes = "\x01\x02\x03\x04\x05";
  ByteReader reader = ReaderOf(bytes);
  EXPECT_EQ(reader.Read<uint8_t>("a").value(), 1);
  EXPECT_EQ(reader.Read<uint32_t>("b").value(), 0x05040302u);
  EXPECT_EQ(reader.offset(), 5u);
  EXPECT_EQ(reader.remaining(), 0u);
}

TEST(ByteReader, ValuePastTheEndIsRefusedAndNothingIsConsumed) {
  const std::string bytes = "abc";
  ByteReader reader = ReaderOf(bytes);
  EXPECT_THAT(
      reader.Read<uint32_t>("the version"),
      IsInvalid("ends within the version: 4 bytes needed at byte 0, 3 left"));
  EXPECT_EQ(reader.remaining(), 3u);
}

TEST(ByteReader, StringIsItsLengthAndItsBytes) {
  const std::string bytes("\x03\0\0\0\0\0\0\0abcd", 12);
  ByteReader reader = ReaderOf(bytes);
  EXPECT_EQ(reader.ReadString("name").value(), "abc");
  EXPECT_EQ(reader.remaining(), 1u);
}

TEST(ByteReader, StringLongerThanTheFileIsRefused) {
  const std::string bytes(
      "\xff\xff\xff\xff\xff\xff\xff\xff"
      "abc",
      11);
  ByteReader reader = ReaderOf(bytes);
  EXPECT_THAT(reader.ReadString("a key"),
              IsInvalid("a key: 18446744073709551615 bytes needed"));
}

TEST(ByteReader, ArrayWhoseSizeOverflowsIsRefused) {
  const std::string bytes(64, 'x');
  ByteReader reader = ReaderOf(bytes);
  EXPECT_THAT(reader.TakeArray(uint64_t{1} << 61, 8, "numbers"),
              IsInvalid("claims 2305843009213693952 values"));
  EXPECT_THAT(reader.TakeArray(9, 8, "numbers"),
              IsInvalid("only 64 bytes left"));
  EXPECT_EQ(reader.TakeArray(8, 8, "numbers")->size(), 64u);
}

}  // namespace
}  // namespace quire
