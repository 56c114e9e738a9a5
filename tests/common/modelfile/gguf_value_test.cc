#include "common/modelfile/gguf_value.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/common/modelfile/is_error.h"

namespace quire {
namespace {

using testing::IsInvalid;

// The bytes of values, one after the other.
template <typename... T>
std::string Bytes(T... values) {
  std::string bytes;
  (bytes.append(reinterpret_cast<const char*>(&values), sizeof(values)), ...);
  return bytes;
}

std::string StringBytes(const std::string& text) {
  return Bytes(uint64_t{text.size()}) + text;
}

std::string ArrayBytes(GgufType element, uint64_t count) {
  return Bytes(GgufType::kArray, element, count);
}

absl::StatusOr<GgufValue> Read(const std::string& bytes) {
  ByteReader reader(std::as_bytes(std::span(bytes)));
  return GgufValue::Read("key", reader);
}

// Keeps the bytes that the value points into.
struct Value {
  explicit Value(std::string b)
      : bytes(std::move(b)), value(Read(bytes).value()) {}
  const GgufValue* operator->() const { return &value; }

  const std::string bytes;
  const GgufValue value;
};

TEST(GgufValue, IntegersOfEveryWidthAreUintsWhileNotNegative) {
  EXPECT_EQ(Value(Bytes(GgufType::kUint8, uint8_t{200}))->AsUint(), 200u);
  EXPECT_EQ(Value(Bytes(GgufType::kInt8, int8_t{100}))->AsUint(), 100u);
  EXPECT_EQ(Value(Bytes(GgufType::kUint16, uint16_t{60000}))->AsUint(), 60000u);
  EXPECT_EQ(Value(Bytes(GgufType::kInt16, int16_t{-1}))->AsUint(),
            std::nullopt);
  EXPECT_EQ(Value(Bytes(GgufType::kUint32, uint32_t{4000000000}))->AsUint(),
            4000000000u);
  EXPECT_EQ(Value(Bytes(GgufType::kInt32, int32_t{-1}))->AsUint(),
            std::nullopt);
  EXPECT_EQ(Value(Bytes(GgufType::kUint64, UINT64_MAX))->AsUint(), UINT64_MAX);
  EXPECT_EQ(Value(Bytes(GgufType::kInt64, int64_t{5}))->AsUint(), 5u);
}

TEST(GgufValue, AnyNumberIsAFloat) {
  EXPECT_EQ(Value(Bytes(GgufType::kFloat32, 1.5f))->AsFloat(), 1.5);
  EXPECT_EQ(Value(Bytes(GgufType::kFloat64, 2.5))->AsFloat(), 2.5);
  EXPECT_EQ(Value(Bytes(GgufType::kInt32, int32_t{-3}))->AsFloat(), -3.0);
  EXPECT_EQ(Value(Bytes(GgufType::kBool, uint8_t{1}))->AsFloat(), std::nullopt);
}

TEST(GgufValue, KindsDoNotTurnIntoEachOther) {
  const Value number(Bytes(GgufType::kUint32, uint32_t{1}));
  EXPECT_EQ(number->AsBool(), std::nullopt);
  EXPECT_EQ(number->AsString(), std::nullopt);
  EXPECT_EQ(number->AsInts(), std::nullopt);
  const Value list(ArrayBytes(GgufType::kUint32, 1) + Bytes(uint32_t{1}));
  EXPECT_TRUE(list->is_array());
  EXPECT_EQ(list->AsUint(), std::nullopt);
  EXPECT_EQ(list->AsStrings(), std::nullopt);
  EXPECT_EQ(Value(ArrayBytes(GgufType::kString, 0))->AsInts(), std::nullopt);
}

TEST(GgufValue, StringsAndBoolsAreRead) {
  EXPECT_EQ(Value(Bytes(GgufType::kString) + StringBytes("abc"))->AsString(),
            "abc");
  EXPECT_EQ(Value(Bytes(GgufType::kBool, uint8_t{1}))->AsBool(), true);
  EXPECT_EQ(Value(Bytes(GgufType::kBool, uint8_t{0}))->AsBool(), false);
}

TEST(GgufValue, ArraysAreRead) {
  const Value strings(ArrayBytes(GgufType::kString, 2) + StringBytes("a") +
                      StringBytes(""));
  EXPECT_EQ(strings->AsStrings(), (std::vector<std::string_view>{"a", ""}));
  const Value floats(ArrayBytes(GgufType::kFloat32, 2) + Bytes(1.5f, -2.0f));
  EXPECT_EQ(floats->AsFloats(), (std::vector<double>{1.5, -2}));
  EXPECT_EQ(floats->AsInts(), std::nullopt);
  const Value ints(ArrayBytes(GgufType::kInt16, 2) +
                   Bytes(int16_t{-7}, int16_t{7}));
  EXPECT_EQ(ints->AsInts(), (std::vector<int64_t>{-7, 7}));
  EXPECT_EQ(
      Value(ArrayBytes(GgufType::kUint64, 1) + Bytes(UINT64_MAX))->AsInts(),
      std::nullopt);
}

TEST(GgufValue, NestedArraysAreWalkedButNotDecoded) {
  const std::string inner = Bytes(GgufType::kUint8, uint64_t{2}) + "ab";
  const Value nested(ArrayBytes(GgufType::kArray, 2) + inner + inner);
  EXPECT_TRUE(nested->is_array());
  EXPECT_EQ(nested->AsInts(), std::nullopt);
  EXPECT_THAT(Read(ArrayBytes(GgufType::kArray, 3) + inner + inner),
              IsInvalid("ends within metadata 'key'"));
}

TEST(GgufValue, DeeplyNestedArraysAreRefused) {
  std::string bytes = Bytes(GgufType::kArray);
  for (int i = 0; i < 100'000; ++i) {
    bytes += Bytes(GgufType::kArray, uint64_t{1});
  }
  EXPECT_THAT(Read(bytes), IsInvalid("nests arrays deeper than 4"));
}

TEST(GgufValue, LyingLengthsAreRefused) {
  EXPECT_THAT(Read(Bytes(GgufType::kString, UINT64_MAX) + "abc"),
              IsInvalid("ends within metadata 'key'"));
  EXPECT_THAT(Read(ArrayBytes(GgufType::kFloat64, uint64_t{1} << 61)),
              IsInvalid("claims 2305843009213693952 values"));
  EXPECT_THAT(
      Read(ArrayBytes(GgufType::kString, UINT64_MAX) + StringBytes("a")),
      IsInvalid("ends within"));
}

TEST(GgufValue, UnknownKindsAndOddBoolsAreRefused) {
  EXPECT_THAT(Read(Bytes(uint32_t{13}, uint64_t{0})),
              IsInvalid("metadata 'key' is of the unknown kind 13"));
  EXPECT_THAT(Read(ArrayBytes(static_cast<GgufType>(99), 0)),
              IsInvalid("unknown kind 99"));
  EXPECT_THAT(Read(Bytes(GgufType::kBool, uint8_t{2})),
              IsInvalid("is a bool of 2"));
}

}  // namespace
}  // namespace quire
