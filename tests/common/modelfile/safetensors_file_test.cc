#include "common/modelfile/safetensors_file.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/common/modelfile/is_error.h"
#include "tests/common/modelfile/safetensors_bytes.h"
#include "tests/testing/allocation_meter.h"
#include "tests/testing/memory_file.h"

namespace quire {
namespace {

using testing::AllocationMeter;
using testing::IsError;
using testing::IsInvalid;
using testing::IsOk;
using testing::MemoryFile;
using testing::SafetensorsBytes;

absl::StatusOr<std::unique_ptr<SafetensorsFile>> Open(
    const std::string& bytes) {
  return SafetensorsFile::Open(MemoryFile(bytes).path());
}

constexpr char kSmall[] = R"({"__metadata__":{"format":"pt"},
  "a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},
  "b":{"dtype":"BF16","shape":[1,3],"data_offsets":[8,14]},
  "c":{"dtype":"F16","shape":[],"data_offsets":[14,16]},
  "d":{"dtype":"I64","shape":[1],"data_offsets":[16,24]}})";

TEST(SafetensorsFile, TensorsHaveTypeShapeAndBytes) {
  const auto file =
      Open(SafetensorsBytes(kSmall, "aaaaaaaabbbbbbccdddddddd")).value();
  ASSERT_EQ(file->tensors().size(), 3u);
  const TensorView& b = file->tensors()[1];
  EXPECT_EQ(b.name, "b");
  EXPECT_EQ(b.type, TensorType::kBF16);
  EXPECT_EQ(b.shape, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(b.data.data()),
                             b.data.size()),
            "bbbbbb");
  EXPECT_TRUE(file->tensors()[2].shape.empty());
}

TEST(SafetensorsFile, OtherTypesAreSetAside) {
  const auto file =
      Open(SafetensorsBytes(kSmall, std::string(24, 'x'))).value();
  EXPECT_EQ(file->unsupported(),
            (std::map<std::string, std::string>{{"d", "I64"}}));
}

TEST(SafetensorsFile, CutAnywhereItIsRefused) {
  const std::string bytes = SafetensorsBytes(kSmall, std::string(24, 'x'));
  for (size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THAT(Open(bytes.substr(0, size)), IsInvalid("")) << size;
  }
  EXPECT_THAT(Open(bytes), IsOk());
  EXPECT_THAT(
      Open(bytes + "x"),
      IsInvalid("the tensors end at byte 24 of the data, the file at 25"));
}

TEST(SafetensorsFile, LyingHeaderLengthIsRefusedWithoutMemory) {
  for (const uint64_t length :
       {uint64_t{0}, uint64_t{1}, uint64_t{1000}, uint64_t{1} << 32,
        UINT64_MAX - 7, UINT64_MAX}) {
    std::string bytes = SafetensorsBytes(kSmall, std::string(24, 'x'));
    bytes.replace(0, 8, reinterpret_cast<const char*>(&length), 8);
    const AllocationMeter meter;
    EXPECT_THAT(Open(bytes), IsInvalid("")) << length;
    EXPECT_LT(meter.largest_bytes(), 16 * bytes.size()) << length;
  }
}

TEST(SafetensorsFile, MissingFileIsNotFound) {
  EXPECT_THAT(SafetensorsFile::Open("/none"),
              IsError(absl::StatusCode::kNotFound, "/none"));
}

struct Lie {
  const char* message;
  const char* header;
};

class SafetensorsLieTest : public ::testing::TestWithParam<Lie> {};

TEST_P(SafetensorsLieTest, IsRefused) {
  const AllocationMeter meter;
  EXPECT_THAT(Open(SafetensorsBytes(GetParam().header, "12345678")),
              IsInvalid(GetParam().message));
  EXPECT_LT(meter.largest_bytes(), 1u << 16);
}

INSTANTIATE_TEST_SUITE_P(
    Lies, SafetensorsLieTest,
    ::testing::Values(
        Lie{"the header is not a JSON object", "[1]"},
        Lie{"not valid JSON", "{\"a\":"},
        Lie{"tensor 'a': expected an object", R"({"a":1})"},
        Lie{"tensor 'a': field 'dtype' is missing",
            R"({"a":{"shape":[2],"data_offsets":[0,8]}})"},
        Lie{"field 'dtype' must be a string",
            R"({"a":{"dtype":3,"shape":[2],"data_offsets":[0,8]}})"},
        Lie{"field 'shape' must be a list",
            R"({"a":{"dtype":"F32","data_offsets":[0,8]}})"},
        Lie{"field 'shape' must be a list",
            R"({"a":{"dtype":"F32","shape":2,"data_offsets":[0,8]}})"},
        Lie{"field 'shape' must be whole numbers",
            R"({"a":{"dtype":"F32","shape":[2.0],"data_offsets":[0,8]}})"},
        Lie{"shape [-2] has a dimension below 1",
            R"({"a":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})"},
        Lie{"larger than 2^62 bytes",
            R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]}})"},
        Lie{"shape [3] of F32 needs 12 bytes, its offsets span 8",
            R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,8]}})"},
        Lie{"field 'data_offsets' must be two numbers",
            R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0]}})"},
        Lie{"field 'data_offsets' must be two numbers",
            R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})"},
        Lie{"field 'data_offsets' must be two numbers",
            R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[-8,0]}})"},
        Lie{"must be whole numbers",
            R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,18446744073709551615]}})"},
        Lie{"the tensors end at byte 16 of the data, the file at 8",
            R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[0,16]}})"},
        Lie{"tensor 'a' begins at byte 4 of the data, the one before it ends "
            "at 0",
            R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})"},
        Lie{"tensor 'b' begins at byte 4 of the data, the one before it ends "
            "at 8",
            R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})"},
        Lie{"key 'a' occurs twice",
            R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})"},
        Lie{"nested deeper than 8",
            R"({"__metadata__":[[[[[[[[[[]]]]]]]]]]})"}));

}  // namespace
}  // namespace quire
