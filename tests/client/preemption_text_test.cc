#include "client/preemption_text.h"

#include "gtest/gtest.h"

namespace quire {
namespace {

TEST(PreemptionTextTest, SaysWhatPreemptionsHaveCost) {
  quire::v1::StatusResponse status;
  EXPECT_EQ(PreemptionsText(status), "0 preemptions");
  status.set_preemptions(3);
  status.set_swap_preemptions(1);
  status.set_recomputed_tokens(1024);
  EXPECT_EQ(PreemptionsText(status),
            "3 preemptions (1 by swapping, 1,024 tokens computed again)");
}

TEST(PreemptionTextTest, HostBlocksAreToldOfWhereThereAreSome) {
  quire::v1::StatusResponse status;
  EXPECT_EQ(HostBlocksText(status), "");
  status.mutable_blocks()->set_host_total(256);
  status.mutable_blocks()->set_host_used(12);
  status.set_blocks_swapped_out(30);
  status.set_blocks_swapped_in(18);
  EXPECT_EQ(HostBlocksText(status),
            "12 used of 256, 30 blocks swapped out and 18 in");
}

}  // namespace
}  // namespace quire
