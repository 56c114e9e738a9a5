#include "client/reproduce_command.h"

#include <filesystem>
#include <string>
#include <vector>

#include "client/reproduce_runs.h"
#include "client/reproduce_sections.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "tests/client/offline_command.h"
#include "tests/testing/temporary_folder.h"

namespace quire {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

OfflineOutcome Reproduce(std::vector<std::string> words) {
  words.insert(words.begin(), {"reproduce", "--minutes=0.2", "--seeds=1"});
  return RunOffline(ReproduceCommand(), words);
}

TEST(ReproduceCommandTest, WorkedCasesAreThePapers) {
  const OfflineOutcome outcome = Reproduce({"--only=worked_cases", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto section = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(section["figures"].size(), 5);
  for (const auto& figure : section["figures"]) {
    const double paper = figure["paper"][0];
    EXPECT_NEAR(figure["here"]["mean"], paper, 0.03 * paper) << figure;
  }
}

TEST(ReproduceCommandTest, FiguresStandBesideThePapers) {
  const OfflineOutcome outcome = Reproduce({"--only=memory"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("here   over the seeds"));
  EXPECT_THAT(outcome.out, HasSubstr("paged: token states"));
  EXPECT_THAT(outcome.out, HasSubstr("96.30"));
}

TEST(ReproduceCommandTest, EverySectionHasItsNameAndItsFigures) {
  for (const SectionRecipe& recipe : SectionRecipes()) {
    if (recipe.name == "latency") continue;  // Takes seconds.
    const OfflineOutcome outcome =
        Reproduce({"--only=" + recipe.name, "--json"});
    ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_FALSE(json["figures"].empty() && json["grids"].empty());
  }
  EXPECT_THAT(Reproduce({"--only=x"}).err,
              HasSubstr("there is no section x; there are: worked_cases"));
}

TEST(ReproduceCommandTest, MoreSamplesSaveMore) {
  const OfflineOutcome outcome =
      Reproduce({"--only=parallel_sampling", "--minutes=1", "--json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto figures = nlohmann::json::parse(outcome.out)["figures"];
  ASSERT_EQ(figures.size(), 6);
  for (const int of_two : {0, 3}) {
    EXPECT_GT(figures[of_two]["here"]["mean"], 1);
    EXPECT_GT(figures[of_two + 1]["here"]["mean"],
              figures[of_two]["here"]["mean"]);
    EXPECT_LT(figures[of_two + 2]["here"]["mean"], 100);
  }
}

TEST(ReproduceCommandTest, PicturesGoToAFile) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path() + "/out.svg";
  EXPECT_EQ(Reproduce({"--only=memory", "--out=" + path}).exit_code, 0);
  const std::string svg = testing::ReadFile(path);
  EXPECT_THAT(svg, StartsWith("<svg "));
  EXPECT_THAT(svg, HasSubstr("KV memory by use"));
  // Which is found out before the experiments.
  const OfflineOutcome nowhere = Reproduce({"--out=/no/such/x"});
  EXPECT_THAT(nowhere.err,
              HasSubstr("/no/such/x: cannot be written: No such file"));
  EXPECT_EQ(nowhere.out, "");
}

TEST(ReproduceCommandTest, SectionsThatSayTheyHaveAPictureHaveOne) {
  ReproduceRuns runs({.num_seeds = 1, .seconds = 5});
  for (const SectionRecipe& recipe : SectionRecipes()) {
    EXPECT_EQ(recipe.make(runs).charts.empty(), !recipe.has_pictures)
        << recipe.name;
  }
}

TEST(ReproduceCommandTest, ASectionWithoutAPictureLeavesNoFile) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.path() + "/out.svg";
  const OfflineOutcome outcome =
      Reproduce({"--only=worked_cases", "--out=" + path});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.err,
              HasSubstr("--out does not apply to --only=worked_cases, which "
                        "has no picture; memory and latency have"));
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(ReproduceCommandTest, NamesAFlagThatIsOutOfRange) {
  EXPECT_THAT(Reproduce({"--minutes=0"}).err, HasSubstr("minutes is 0"));
  EXPECT_THAT(Reproduce({"--seeds=0"}).err, HasSubstr("seeds is 0"));
}

}  // namespace
}  // namespace quire
