#include "common/modelfile/mapped_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/common/modelfile/is_error.h"
#include "tests/testing/temporary_folder.h"

namespace quire {
namespace {

using testing::IsError;
using testing::IsInvalid;
using testing::TemporaryFolder;

TEST(MappedFile, ShowsTheBytesOfTheFile) {
  const TemporaryFolder folder;
  const auto file = MappedFile::Open(folder.Write("x", "some bytes")).value();
  EXPECT_EQ(file->text(), "some bytes");
  EXPECT_EQ(file->bytes().size(), 10u);
}

TEST(MappedFile, EmptyFileHasNoBytes) {
  const TemporaryFolder folder;
  const auto file = MappedFile::Open(folder.Write("x", "")).value();
  EXPECT_TRUE(file->bytes().empty());
  file->Advise(MappedFile::Access::kSoon);
}

TEST(MappedFile, AdviceChangesNothingThatIsSeen) {
  const TemporaryFolder folder;
  const auto file =
      MappedFile::Open(folder.Write("x", std::string(10000, 'a'))).value();
  for (const auto access :
       {MappedFile::Access::kSequential, MappedFile::Access::kRandom,
        MappedFile::Access::kSoon}) {
    file->Advise(access);
    EXPECT_EQ(file->text(), std::string(10000, 'a'));
  }
}

TEST(MappedFile, BytesStayWhenTheNameIsRemoved) {
  const TemporaryFolder folder;
  const std::string path = folder.Write("x", "abc");
  const auto file = MappedFile::Open(path).value();
  ASSERT_EQ(std::remove(path.c_str()), 0);
  EXPECT_EQ(file->text(), "abc");
}

TEST(MappedFile, MissingFileIsNotFound) {
  EXPECT_THAT(
      MappedFile::Open("/no/such/file"),
      IsError(absl::StatusCode::kNotFound, "/no/such/file: cannot open"));
}

TEST(MappedFile, FolderIsRefused) {
  const TemporaryFolder folder;
  EXPECT_THAT(MappedFile::Open(folder.path()), IsInvalid("not a regular file"));
}

TEST(MappedFile, NamedPipeIsRefusedWithoutWaitingForAWriter) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(MappedFile::Open(path), IsInvalid("not a regular file"));
}

}  // namespace
}  // namespace quire
