#include "common/modelfile/safetensors_folder.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/common/modelfile/is_error.h"
#include "tests/common/modelfile/safetensors_bytes.h"
#include "tests/testing/temporary_folder.h"

namespace quire {
namespace {

using testing::IsError;
using testing::IsInvalid;
using testing::SafetensorsBytes;
using testing::TemporaryFolder;

class SafetensorsFolderTest : public ::testing::Test {
 protected:
  // A container with one tensor.
  void WriteTensor(const std::string& file, const std::string& tensor,
                   const std::string& dtype = "F32") {
    const std::string header = "{\"" + tensor + "\":{\"dtype\":\"" + dtype +
                               "\",\"shape\":[1],\"data_offsets\":[0,4]}}";
    folder_.Write(file, SafetensorsBytes(header, "1234"));
  }
  void WriteIndex(const std::string& weight_map) {
    folder_.Write("model.safetensors.index.json",
                  "{\"metadata\":{},\"weight_map\":" + weight_map + "}");
  }
  auto Open() { return SafetensorsFolder::Open(folder_.path()); }

  std::vector<std::string> OpenNames() {
    folder_object_ = Open().value();
    std::vector<std::string> names;
    for (const TensorView* tensor : folder_object_->tensors()) {
      names.push_back(tensor->name);
    }
    return names;
  }

  TemporaryFolder folder_;
  std::unique_ptr<SafetensorsFolder> folder_object_;
};

TEST_F(SafetensorsFolderTest, SingleFileNeedsNoIndex) {
  WriteTensor("model.safetensors", "a");
  EXPECT_EQ(OpenNames(), std::vector<std::string>{"a"});
}

TEST_F(SafetensorsFolderTest, ShardsOfTheIndexAreGathered) {
  WriteTensor("one.safetensors", "a");
  WriteTensor("two.safetensors", "b");
  WriteTensor("three.safetensors", "c", "I32");
  WriteIndex(
      R"({"a":"one.safetensors","b":"two.safetensors","c":"three.safetensors"})");
  EXPECT_EQ(OpenNames(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(folder_object_->unsupported().at("c"), "I32");
}

TEST_F(SafetensorsFolderTest, EmptyFolderIsNotFound) {
  EXPECT_THAT(
      Open(),
      IsError(absl::StatusCode::kNotFound,
              "neither model.safetensors nor model.safetensors.index.json"));
}

TEST_F(SafetensorsFolderTest, MissingShardIsNotFound) {
  WriteIndex(R"({"a":"one.safetensors"})");
  EXPECT_THAT(Open(), IsError(absl::StatusCode::kNotFound, "one.safetensors"));
}

TEST_F(SafetensorsFolderTest, TensorMustBeInTheShardTheIndexNames) {
  WriteTensor("one.safetensors", "a");
  WriteTensor("two.safetensors", "b");
  WriteIndex(
      R"({"a":"one.safetensors","b":"two.safetensors","c":"two.safetensors"})");
  EXPECT_THAT(Open(), IsInvalid("tensor 'c' is not in 'two.safetensors'"));
  WriteIndex(R"({"a":"two.safetensors","b":"one.safetensors"})");
  EXPECT_THAT(Open(), IsInvalid("tensor 'a' is not in 'two.safetensors'"));
}

TEST_F(SafetensorsFolderTest, SameTensorInTwoShardsIsRefused) {
  WriteTensor("one.safetensors", "a");
  WriteTensor("two.safetensors", "a");
  WriteIndex(R"({"a":"one.safetensors","b":"two.safetensors"})");
  EXPECT_THAT(Open(), IsInvalid("tensor 'a' is also in"));
}

TEST_F(SafetensorsFolderTest, ShardOutsideTheFolderIsRefused) {
  for (const char* shard : {"../x", "/etc/passwd", "sub/x", "..", ".", ""}) {
    WriteIndex(std::string("{\"a\":\"") + shard + "\"}");
    EXPECT_THAT(Open(), IsInvalid("is not the name of a file in the folder"))
        << shard;
  }
}

TEST_F(SafetensorsFolderTest, MalformedIndexIsRefused) {
  WriteIndex("[]");
  EXPECT_THAT(Open(), IsInvalid("field 'weight_map' must be an object"));
  WriteIndex(R"({"a":7})");
  EXPECT_THAT(Open(), IsInvalid("the shard of tensor 'a' must be a string"));
  WriteIndex("");
  EXPECT_THAT(Open(), IsInvalid("not valid JSON"));
}

}  // namespace
}  // namespace quire
