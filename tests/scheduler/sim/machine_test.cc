#include "scheduler/sim/machine.h"

#include <string>

#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::HasSubstr;

constexpr char kText[] = R"(# Comment.
[m]
memory_bytes_per_s = 1e9  # A.
memory_efficiency = 0.5   # B.
flops = 2e9               # C.
flops_efficiency = 0.25   # D.
step_overhead_s = 1e-3    # E.
layer_overhead_s = 1e-6   # F.
link_bytes_per_s = 3e9    # G.
link_latency_s = 1e-5     # H.
host_bytes_per_s = 4e9    # I.
)";

// The error of kText with `from` replaced.
std::string ErrorWith(const std::string& from, const std::string& to) {
  const std::string text = absl::StrReplaceAll(kText, {{from, to}});
  return std::string(ParseMachine(text, "m").status().message());
}

TEST(MachineTest, ReadsEveryField) {
  const Machine machine = *ParseMachine(kText, "m");
  EXPECT_EQ(machine.memory_bytes_per_s, 1e9);
  EXPECT_EQ(machine.flops_efficiency, 0.25);
  EXPECT_EQ(machine.host_bytes_per_s, 4e9);
}

TEST(MachineTest, KnownMachinesAreWhole) {
  for (const char* name : {"a100-40gb", "a100-80gb", "xeon-2-cores"}) {
    EXPECT_TRUE(ParseMachine(KnownMachines(), name).ok()) << name;
  }
}

TEST(MachineTest, EveryValueSaysWhereItIsFrom) {
  EXPECT_EQ(ErrorWith("1e9  # A.", "1e9"),
            "line 3: no source stands behind the value");
  EXPECT_EQ(ErrorWith("# A.", "#"),
            "line 3: no source stands behind the value");
}

TEST(MachineTest, RefusesWhatIsNoValue) {
  const std::string error =
      "line 3: not NAME = VALUE  # SOURCE with a value above 0";
  EXPECT_EQ(ErrorWith("1e9", "fast"), error);
  EXPECT_EQ(ErrorWith("1e9", "-1"), error);
  EXPECT_EQ(ErrorWith("1e9", "inf"), error);
  EXPECT_EQ(ErrorWith("= 1e9", "1e9"), error);
}

TEST(MachineTest, KernelsReachNoMoreThanAllOfIt) {
  EXPECT_EQ(ErrorWith("= 0.5", "= 1"), "");
  EXPECT_EQ(ErrorWith("= 0.5", "= 1.5"),
            "machine m: memory_efficiency is 1.5, must be at most 1");
  EXPECT_EQ(ErrorWith("= 0.25", "= 25"),
            "machine m: flops_efficiency is 25, must be at most 1");
}

TEST(MachineTest, NamesFieldsThatAreUnknownMissingOrRepeated) {
  EXPECT_EQ(ErrorWith("flops =", "flips ="), "machine m: flops is missing");
  EXPECT_EQ(ErrorWith("# I.", "# I.\nwheels = 4 # J."),
            "machine m: there is no field wheels");
  EXPECT_EQ(ErrorWith("# I.", "# I.\nflops = 4 # J."),
            "line 12: flops stands twice");
  EXPECT_EQ(ErrorWith("[m]", ""), "line 3: stands before the first [MACHINE]");
  EXPECT_EQ(ErrorWith("[m]", "[n]"), "there is no machine m; there are: n");
}

}  // namespace
}  // namespace quire
