#include "common/modelfile/error_text.h"

#include <gtest/gtest.h>

#include <string>

namespace quire {
namespace {

TEST(ErrorText, ShortNameIsQuotedAsItIs) {
  EXPECT_EQ(Quoted("blk.0.attn_q.weight"), "'blk.0.attn_q.weight'");
}

TEST(ErrorText, HostileNameCannotForgeALine) {
  EXPECT_EQ(Quoted("a\n\x1b[2J\xff'"), R"('a\n\x1b[2J\xff\'')");
}

TEST(ErrorText, LongNameIsCut) {
  EXPECT_EQ(Quoted(std::string(81, 'x')), "'" + std::string(80, 'x') + "...'");
  EXPECT_EQ(Quoted(std::string(80, 'x')), "'" + std::string(80, 'x') + "'");
}

TEST(ErrorText, FileLeadsTheMessageAndTheCodeStays) {
  const absl::Status status =
      InFile("/m/config.json", absl::UnimplementedError("no"));
  EXPECT_EQ(status, absl::UnimplementedError("/m/config.json: no"));
  EXPECT_EQ(InFile("/m", absl::OkStatus()), absl::OkStatus());
}

}  // namespace
}  // namespace quire
