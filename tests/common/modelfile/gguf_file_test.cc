#include "common/modelfile/gguf_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/common/modelfile/is_error.h"
#include "tests/testing/allocation_meter.h"
#include "tests/testing/gguf_writer.h"
#include "tests/testing/memory_file.h"

namespace quire {
namespace {

using testing::AllocationMeter;
using testing::GgufWriter;
using testing::IsError;
using testing::IsInvalid;
using testing::IsOk;
using testing::IsUnimplemented;
using testing::MemoryFile;

constexpr TensorType kAllTypes[] = {
    TensorType::kF32,  TensorType::kF16,  TensorType::kBF16, TensorType::kQ4_0,
    TensorType::kQ4_1, TensorType::kQ5_0, TensorType::kQ5_1, TensorType::kQ8_0,
    TensorType::kQ2_K, TensorType::kQ3_K, TensorType::kQ4_K, TensorType::kQ5_K,
    TensorType::kQ6_K};

// The file of these bytes; views stay valid, for the mapping keeps the memory.
absl::StatusOr<std::unique_ptr<GgufFile>> Open(const std::string& bytes) {
  return GgufFile::Open(MemoryFile(bytes).path());
}
absl::StatusOr<std::unique_ptr<GgufFile>> Open(const GgufWriter& writer) {
  return Open(writer.Finish());
}

std::string_view Text(const TensorView& tensor) {
  return {reinterpret_cast<const char*>(tensor.data.data()),
          tensor.data.size()};
}

// One entry of each kind, two tensors.
GgufWriter SmallFile() {
  GgufWriter writer;
  writer.Add("a.string", "text")
      .Add("a.uint", uint32_t{7})
      .Add("a.float", 0.5f)
      .Add("a.bool", true);
  writer.AddArray("a.strings", std::vector<std::string>{"x", "", "yz"});
  writer.AddArray("a.ints", std::vector<int32_t>{-1, 2});
  writer.AddArray("a.floats", std::vector<double>{1.5});
  writer.AddTensor("one", TensorType::kF32, {2, 3}, std::string(24, '1'));
  writer.AddTensor("two", TensorType::kQ4_1, {1, 2, 64}, std::string(80, '2'));
  return writer;
}

TEST(GgufFile, MetadataIsFoundByKeyAndKind) {
  const auto file = Open(SmallFile()).value();
  EXPECT_EQ(file->GetString("a.string"), "text");
  EXPECT_EQ(file->GetUint("a.uint"), 7u);
  EXPECT_EQ(file->GetFloat("a.float"), 0.5);
  EXPECT_EQ(file->GetBool("a.bool"), true);
  EXPECT_EQ(file->GetStrings("a.strings"),
            (std::vector<std::string_view>{"x", "", "yz"}));
  EXPECT_EQ(file->GetInts("a.ints"), (std::vector<int64_t>{-1, 2}));
  EXPECT_EQ(file->GetFloats("a.floats"), (std::vector<double>{1.5}));
}

TEST(GgufFile, AbsentKeyAndOtherKindAreNothing) {
  const auto file = Open(SmallFile()).value();
  EXPECT_EQ(file->GetUint("b"), std::nullopt);
  EXPECT_EQ(file->GetUint("a.string"), std::nullopt);
  EXPECT_EQ(file->GetStrings("a.string"), std::nullopt);
  EXPECT_TRUE(file->HasKey("a.string"));
  EXPECT_FALSE(file->HasKey("b"));
}

TEST(GgufFile, TensorsHaveTheirShapeOutermostFirstAndTheirBytes) {
  const auto file = Open(SmallFile()).value();
  ASSERT_EQ(file->tensors().size(), 2u);
  const TensorView* one = file->FindTensor("one");
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(Text(*one), std::string(24, '1'));
  const TensorView* two = file->FindTensor("two");
  ASSERT_NE(two, nullptr);
  EXPECT_EQ(two->type, TensorType::kQ4_1);
  EXPECT_EQ(two->shape, (std::vector<int64_t>{1, 2, 64}));
  EXPECT_EQ(Text(*two), std::string(80, '2'));
  EXPECT_EQ(file->FindTensor("three"), nullptr);
}

TEST(GgufFile, EveryTensorTypeIsRead) {
  GgufWriter writer;
  for (const TensorType type : kAllTypes) {
    const TensorTypeInfo& info = GetTensorTypeInfo(type);
    writer.AddTensor(info.name, type, {3, 2 * info.elements},
                     std::string(6 * info.bytes, 'x'));
  }
  const auto file = Open(writer).value();
  for (const TensorType type : kAllTypes) {
    const TensorView* tensor = file->FindTensor(GetTensorTypeInfo(type).name);
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(tensor->type, type);
    EXPECT_EQ(Text(*tensor),
              std::string(6 * GetTensorTypeInfo(type).bytes, 'x'));
  }
}

TEST(GgufFile, VersionTwoIsReadAndOthersAreRefused) {
  std::string bytes = SmallFile().Finish();
  bytes[4] = 2;
  EXPECT_THAT(Open(bytes), IsOk());
  bytes[4] = 1;
  EXPECT_THAT(Open(bytes), IsUnimplemented("GGUF version 1 is not supported"));
  bytes.replace(4, 4, std::string("\0\0\0\x03", 4));
  EXPECT_THAT(Open(bytes), IsUnimplemented("(big endian)"));
}

TEST(GgufFile, AlignmentOfTheFileIsHonoured) {
  GgufWriter writer;
  writer.SetAlignment(128)
      .AddTensor("a", TensorType::kF32, {1}, "abcd")
      .AddTensor("b", TensorType::kF32, {1}, "efgh");
  const auto file = Open(writer).value();
  EXPECT_EQ(Text(*file->FindTensor("b")), "efgh");
  EXPECT_EQ(
      file->FindTensor("b")->data.data() - file->FindTensor("a")->data.data(),
      128);
}

TEST(GgufFile, SenselessAlignmentIsRefused) {
  for (const uint32_t alignment : {0u, 1u, 4u, 24u, 1u << 21}) {
    EXPECT_THAT(Open(GgufWriter().Add("general.alignment", alignment)),
                IsInvalid("general.alignment is"))
        << alignment;
  }
  EXPECT_THAT(Open(GgufWriter().Add("general.alignment", "32")),
              IsInvalid("general.alignment"));
}

TEST(GgufFile, OtherFilesAreRefused) {
  EXPECT_THAT(Open(std::string("PK\x03\x04 and more of that")),
              IsInvalid("not a GGUF file"));
  EXPECT_THAT(Open(std::string()),
              IsInvalid("the file ends within the magic number"));
  EXPECT_THAT(GgufFile::Open("/no/such.gguf"),
              IsError(absl::StatusCode::kNotFound, "/no/such.gguf"));
}

TEST(GgufFile, SameKeyOrTensorTwiceIsRefused) {
  EXPECT_THAT(Open(GgufWriter().Add("k", 1).Add("k", 1)),
              IsInvalid("metadata key 'k' occurs twice"));
  GgufWriter writer;
  writer.AddTensor("t", TensorType::kF32, {1}, "abcd")
      .AddTensor("t", TensorType::kF32, {1}, "abcd");
  EXPECT_THAT(Open(writer), IsInvalid("tensor 't' occurs twice"));
}

TEST(GgufFile, TypesWithoutAKernelAreRefusedByName) {
  EXPECT_THAT(Open(GgufWriter().AddRawTensor("t", 23, {256}, "x")),
              IsUnimplemented("tensor 't': type IQ4_XS is not supported"));
  EXPECT_THAT(Open(GgufWriter().AddRawTensor("t", 4, {256}, "x")),
              IsInvalid("tensor 't': unknown type 4"));
}

struct TensorLie {
  const char* message;
  TensorType type;
  std::vector<int64_t> shape;
};

class GgufTensorLieTest : public ::testing::TestWithParam<TensorLie> {};

TEST_P(GgufTensorLieTest, IsRefusedByName) {
  GgufWriter writer;
  writer.AddTensor("liar", GetParam().type, GetParam().shape,
                   std::string(64, 'x'));
  EXPECT_THAT(Open(writer),
              IsInvalid(std::string("tensor 'liar': ") + GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Lies, GgufTensorLieTest,
    ::testing::Values(
        TensorLie{"0 dimensions, expected 1 to 4", TensorType::kF32, {}},
        TensorLie{"5 dimensions", TensorType::kF32, {1, 1, 1, 1, 1}},
        TensorLie{
            "shape [4, 0] has a dimension below 1", TensorType::kF32, {4, 0}},
        TensorLie{
            "a dimension of 18446744073709551615", TensorType::kF32, {-1}},
        TensorLie{"shape [8589934592, 8589934592] is larger than 2^62 bytes",
                  TensorType::kF32,
                  {int64_t{1} << 33, int64_t{1} << 33}},
        TensorLie{"rows of 48 elements are no multiple of 32",
                  TensorType::kQ8_0,
                  {48}},
        TensorLie{"68 bytes at offset 0 reach past the file's 64 bytes of data",
                  TensorType::kF32,
                  {17}}));

TEST(GgufFile, OverlappingAndMisplacedTensorsAreRefused) {
  GgufWriter writer;
  writer.AddTensor("a", TensorType::kF32, {16}, std::string(64, 'a'))
      .AddTensor("b", TensorType::kF32, {1}, "bbbb");
  std::string bytes = writer.Finish();
  const auto fields = writer.SizeFields();
  ASSERT_EQ(fields.back().what, "offset of a tensor");
  uint64_t offset = 32;
  std::memcpy(bytes.data() + fields.back().offset, &offset, sizeof(offset));
  EXPECT_THAT(Open(bytes), IsInvalid("tensors 'a' and 'b' overlap"));
  offset = 65;
  std::memcpy(bytes.data() + fields.back().offset, &offset, sizeof(offset));
  EXPECT_THAT(
      Open(bytes),
      IsInvalid("tensor 'b': offset 65 is no multiple of the alignment 32"));
}

TEST(GgufFile, LongKeysAndNamesAreRefused) {
  EXPECT_THAT(Open(GgufWriter().Add(std::string(65536, 'k'), 1)),
              IsInvalid("65536 bytes, the limit is 65535"));
  GgufWriter writer;
  writer.AddTensor(std::string(257, 'n'), TensorType::kF32, {1}, "abcd");
  EXPECT_THAT(Open(writer), IsInvalid("a name of 257 bytes"));
}

TEST(GgufFile, CutAnywhereItIsRefused) {
  const std::string bytes = SmallFile().Finish();
  const size_t padding = 16;  // Behind the last tensor, which nobody misses.
  for (size_t size = 0; size < bytes.size() - padding; ++size) {
    EXPECT_THAT(Open(bytes.substr(0, size)), IsInvalid("")) << size;
  }
  EXPECT_THAT(Open(bytes), IsOk());
}

// Every field that says how much follows, or where, set to every value that
// might be believed: an error or a smaller file, but neither a crash nor memory
// by the lie's measure.
TEST(GgufFile, LyingSizesNeitherCrashNorAllocate) {
  const GgufWriter writer = SmallFile();
  const std::string good = writer.Finish();
  int num_refused = 0;
  for (const auto& field : writer.SizeFields()) {
    for (const uint64_t value :
         {uint64_t{0}, uint64_t{1}, uint64_t{5}, uint64_t{1000},
          uint64_t{1} << 20, (uint64_t{1} << 31) - 1, uint64_t{1} << 31,
          (uint64_t{1} << 32) - 1, uint64_t{1} << 40, uint64_t{1} << 61,
          uint64_t{1} << 63, UINT64_MAX - 7, UINT64_MAX}) {
      std::string bytes = good;
      std::memcpy(bytes.data() + field.offset, &value, field.num_bytes);
      const AllocationMeter meter;
      num_refused += !Open(bytes).ok();
      EXPECT_LT(meter.largest_bytes(), 16u * good.size())
          << field.what << " of " << value;
    }
  }
  EXPECT_GT(num_refused, 300);
}

}  // namespace
}  // namespace quire
