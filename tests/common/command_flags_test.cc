#include "common/command_flags.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/reflection.h"
#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

ABSL_FLAG(int, sail_area, 12, "Square metres of the sail.");
ABSL_FLAG(bool, spinnaker, false,
          "Sets the large one too, where the wind "
          "comes from behind and the crew is not afraid of it.");
ABSL_FLAG(std::string, harbour, "", "Where to go.");
ABSL_FLAG(absl::Duration, watch, absl::Hours(4), "How long one is.");
ABSL_FLAG(std::optional<double>, draught, std::nullopt, "Metres.");
ABSL_FLAG(std::optional<uint32_t>, crew, std::nullopt, "Sailors.");
ABSL_FLAG(bool, hidden, false, "Exists, but is not among the names.");

namespace quire {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::string> kNames = {"sail_area", "spinnaker", "harbour"};
const std::vector<std::string> kOthers = {"watch", "draught", "crew"};

class CommandFlagsTest : public testing::Test {
 protected:
  // The words that are no flags.
  std::vector<std::string> Rest(const std::vector<std::string>& words) {
    const auto rest = SetFlags(words, kNames);
    EXPECT_TRUE(rest.ok()) << rest.status();
    return *rest;
  }
  std::string Refusal(const std::vector<std::string>& words) {
    std::vector<std::string> names = kNames;
    names.insert(names.end(), kOthers.begin(), kOthers.end());
    const absl::Status status = SetFlags(words, names).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  }

 private:
  const absl::FlagSaver saver_;
};

TEST_F(CommandFlagsTest, ValueStandsBehindASignOrInTheNextWord) {
  EXPECT_THAT(Rest({"--sail_area=20", "-harbour", "--north"}), IsEmpty());
  EXPECT_EQ(absl::GetFlag(FLAGS_sail_area), 20);
  EXPECT_EQ(absl::GetFlag(FLAGS_harbour), "--north");
}

TEST_F(CommandFlagsTest, ValueMayBeEmptyOrContainSigns) {
  Rest({"--harbour=a=b"});
  EXPECT_EQ(absl::GetFlag(FLAGS_harbour), "a=b");
  Rest({"--harbour="});
  EXPECT_EQ(absl::GetFlag(FLAGS_harbour), "");
}

TEST_F(CommandFlagsTest, BoolNeedsNoValue) {
  EXPECT_THAT(Rest({"--spinnaker", "fast"}), ElementsAre("fast"));
  EXPECT_TRUE(absl::GetFlag(FLAGS_spinnaker));
  Rest({"--nospinnaker"});
  EXPECT_FALSE(absl::GetFlag(FLAGS_spinnaker));
  Rest({"--spinnaker=true"});
  EXPECT_TRUE(absl::GetFlag(FLAGS_spinnaker));
}

TEST_F(CommandFlagsTest, KeepsWhatIsNoFlagInItsOrder) {
  EXPECT_THAT(Rest({"a", "--sail_area=1", "-", "--", "--spinnaker", "--"}),
              ElementsAre("a", "-", "--spinnaker", "--"));
  EXPECT_FALSE(absl::GetFlag(FLAGS_spinnaker));
}

TEST_F(CommandFlagsTest, RefusesFlagsThatAreNotAmongTheNames) {
  EXPECT_EQ(Refusal({"--mast=3"}), "there is no flag --mast");
  EXPECT_EQ(Refusal({"--hidden"}), "there is no flag --hidden");
  EXPECT_EQ(Refusal({"--noharbour"}), "there is no flag --noharbour");
  EXPECT_EQ(Refusal({"-5"}), "there is no flag --5");
}

TEST_F(CommandFlagsTest, RefusesAValueThatIsWrongOrMissing) {
  EXPECT_EQ(Refusal({"--sail_area=wide"}),
            "--sail_area cannot be \"wide\", it must be a whole number, "
            "-2147483648 to 2147483647");
  EXPECT_EQ(Refusal({"--spinnaker=maybe"}),
            "--spinnaker cannot be \"maybe\", it must be true or false");
  EXPECT_EQ(Refusal({"--watch=4"}),
            "--watch cannot be \"4\", it must be a duration such as 30s or "
            "500ms");
  EXPECT_EQ(Refusal({"--draught=deep"}),
            "--draught cannot be \"deep\", it must be a number");
  EXPECT_EQ(Refusal({"--crew=-1"}),
            "--crew cannot be \"-1\", it must be a whole number, 0 to "
            "4294967295");
  EXPECT_EQ(Refusal({"--sail_area"}), "--sail_area lacks its value");
}

TEST_F(CommandFlagsTest, HelpShowsDefaultsAndWrapsAtTheMargin) {
  EXPECT_EQ(
      HelpOnFlags(kNames),
      "Flags:\n"
      "  --sail_area=12\n"
      "      Square metres of the sail.\n"
      "  --spinnaker\n"
      "      Sets the large one too, where the wind comes from behind and the "
      "crew is\n"
      "      not afraid of it.\n"
      "  --harbour\n"
      "      Where to go.\n");
}

TEST_F(CommandFlagsTest, HelpIsNotAskedForBehindTwoDashes) {
  EXPECT_TRUE(AsksForHelp({"a", "--help"}));
  EXPECT_TRUE(AsksForHelp({"-h"}));
  EXPECT_FALSE(AsksForHelp({"a", "--", "--help"}));
}

}  // namespace
}  // namespace quire
