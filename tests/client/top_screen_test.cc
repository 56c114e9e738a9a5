#include "client/top_screen.h"

#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using quire::v1::RequestStatus;
using quire::v1::WatchBlocksResponse;
using testing::HasSubstr;
using testing::Not;

std::string Rendered(const TopView& view, const ScreenSize& size,
                     bool with_styles = false) {
  std::string text;
  for (const ScreenLine& line : TopScreen(view, size)) {
    text += line.Render(size.columns, with_styles) + "\n";
  }
  return text;
}

// A third of the blocks is active, one is cached, one is free. The active ones
// fill up three times and take turns in being held by the requests.
void FillBlocks(uint32_t num_blocks, uint32_t num_requests,
                WatchBlocksResponse& frame) {
  constexpr char kStates[] = {quire::v1::BLOCK_STATE_ACTIVE,
                              quire::v1::BLOCK_STATE_CACHED,
                              quire::v1::BLOCK_STATE_FREE};
  std::string blocks;
  for (uint32_t i = 0; i < num_blocks; ++i) {
    const char state = kStates[3 * i / num_blocks];
    const bool active = state == quire::v1::BLOCK_STATE_ACTIVE;
    const int fill = 144 * i / num_blocks % 16;
    blocks.push_back(static_cast<char>(active ? state | fill << 2 : state));
    frame.add_owner(active && num_requests > 0 ? i % num_requests + 1 : 0);
  }
  frame.set_blocks(blocks);
}

TopView View(uint32_t num_blocks, uint32_t num_requests) {
  TopView view = {.title = "127.0.0.1:8300"};
  auto& status = *view.frame.mutable_status();
  status.set_ready(true);
  status.set_uptime_s(100);
  status.set_epoch(1);
  status.set_running_requests(num_requests);
  auto& blocks = *status.mutable_blocks();
  blocks.set_total(num_blocks);
  blocks.set_active(num_blocks / 3);
  blocks.set_cached(num_blocks / 3);
  blocks.set_free(num_blocks - 2 * (num_blocks / 3));
  blocks.set_block_size(16);
  blocks.set_used_slots(num_blocks / 3 * 12);
  for (uint32_t i = 0; i < num_requests; ++i) {
    RequestStatus& request = *status.add_requests();
    request.set_request_id(absl::StrCat("request-", i));
    request.set_running(i + 1 < num_requests);
    request.set_prompt_tokens(100 + i);
    request.set_age_s(i);
  }
  FillBlocks(num_blocks, num_requests, view.frame);
  return view;
}

std::string Golden(const std::string& name) {
  std::ifstream file("tests/client/testdata/" + name);
  EXPECT_TRUE(file.good()) << name;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(TopScreenTest, FitsAScreenOf80By24) {
  EXPECT_EQ(Rendered(View(/*num_blocks=*/500, /*num_requests=*/5), {}),
            Golden("top_500_blocks.txt"));
}

TEST(TopScreenTest, SharesCellsWhereThereAreMoreBlocksThanRoom) {
  EXPECT_EQ(Rendered(View(/*num_blocks=*/20000, /*num_requests=*/40), {}),
            Golden("top_20000_blocks.txt"));
}

TEST(TopScreenTest, ColoursFollowTheHolders) {
  EXPECT_EQ(Rendered(View(/*num_blocks=*/20, /*num_requests=*/2),
                     {.rows = 12, .columns = 70}, /*with_styles=*/true),
            Golden("top_colours.txt"));
}

TEST(TopScreenTest, NeverExceedsTheScreen) {
  for (size_t rows = 0; rows < 30; ++rows) {
    for (const size_t columns : {0, 1, 7, 40, 200}) {
      const auto lines = TopScreen(View(777, 30), {rows, columns});
      EXPECT_LE(lines.size(), rows) << columns;
    }
  }
}

TEST(TopScreenTest, CountsTheRequestsThatFindNoRoom) {
  const std::string text = Rendered(View(2000, 100), {});
  EXPECT_THAT(text, HasSubstr("request-0 "));
  EXPECT_THAT(text, HasSubstr("and 92 more"));
}

TEST(TopScreenTest, RatesComeFromTwoFrames) {
  TopView view = View(10, 0);
  view.previous = view.frame;
  auto& status = *view.frame.mutable_status();
  status.set_uptime_s(102);
  status.set_generated_tokens(50);
  status.set_steps(10);
  EXPECT_THAT(Rendered(view, {}),
              HasSubstr("25.0 generated/s  0.0 prompt tokens/s  5.0 steps/s"));
}

TEST(TopScreenTest, ShowsWhatSharingSavesWhereItDoes) {
  TopView view = View(10, 0);
  EXPECT_THAT(Rendered(view, {}), Not(HasSubstr("sharing")));
  auto& status = *view.frame.mutable_status();
  status.mutable_blocks()->set_shared(3);
  status.mutable_blocks()->set_saved(1200);
  status.set_cached_prompt_tokens(45678);
  EXPECT_THAT(Rendered(view, {}),
              HasSubstr("3 blocks shared, saving 1,200  45,678 prompt tokens "
                        "found in the cache"));
}

TEST(TopScreenTest, PreemptionsHaveALineOnceThereAreSome) {
  TopView view = View(10, 0);
  EXPECT_THAT(Rendered(view, {}), Not(HasSubstr("preempted")));
  auto& status = *view.frame.mutable_status();
  status.set_waiting_tokens(1234567);
  status.set_preemptions(12345);
  status.set_swap_preemptions(12345);
  status.set_recomputed_tokens(1234567);
  EXPECT_THAT(Rendered(view, {}),
              HasSubstr("\npreempted 12,345 times (12,345 by swapping, "
                        "1,234,567 tokens computed again)\n"));
}

TEST(TopScreenTest, ARestartedServerHasNoNegativeRate) {
  TopView view = View(10, 0);
  view.previous = view.frame;
  view.previous.mutable_status()->set_generated_tokens(1000);
  view.frame.mutable_status()->set_uptime_s(1);
  EXPECT_THAT(Rendered(view, {}), HasSubstr("0.0 generated/s"));
}

TEST(TopScreenTest, SaysWhyTheServerIsNotReady) {
  TopView view = View(10, 0);
  view.frame.mutable_status()->set_ready(false);
  view.frame.mutable_status()->set_reason("no worker\x1b[2J");
  EXPECT_THAT(Rendered(view, {}), HasSubstr("not ready: no worker?[2J"));
}

}  // namespace
}  // namespace quire
