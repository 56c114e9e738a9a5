#include "scheduler/server_options.h"

#include <functional>
#include <ostream>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

ServerOptions Good() {
  ServerOptions options;
  options.model = "model.gguf";
  return options;
}

TEST(ServerOptionsTest, DefaultsWithAModelAreValid) {
  EXPECT_TRUE(Good().Validate().ok()) << Good().Validate();
}

TEST(ServerOptionsTest, NoOtherMachineIsLetInUnasked) {
  const ServerOptions options;
  for (const std::string& address :
       {options.listen, options.worker_listen, options.admin_listen}) {
    EXPECT_THAT(address, StartsWith("127.0.0.1:"));
  }
}

TEST(ServerOptionsTest, LimitsAreValid) {
  ServerOptions options = Good();
  options.block_size = 1024;
  options.drain_limit = absl::ZeroDuration();
  EXPECT_TRUE(options.Validate().ok()) << options.Validate();
}

struct Fault {
  std::string name;
  std::function<void(ServerOptions&)> change;
  std::string message;
};

void PrintTo(const Fault& fault, std::ostream* os) { *os << fault.name; }

class FaultTest : public ::testing::TestWithParam<Fault> {};

TEST_P(FaultTest, NamesOptionValueAndLimit) {
  ServerOptions options = Good();
  GetParam().change(options);
  const absl::Status status = options.Validate();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    ServerOptions, FaultTest,
    ::testing::Values(
        Fault{"NoModel", [](ServerOptions& o) { o.model = ""; },
              "--model is missing: name a GGUF file or a Hugging Face folder"},
        Fault{"BadAddress", [](ServerOptions& o) { o.worker_listen = "8301"; },
              "\"8301\" is no address"},
        Fault{"NoBlockSize", [](ServerOptions& o) { o.block_size = 0; },
              "block_size is 0, must be 1 to 1024"},
        Fault{"HugeBlockSize", [](ServerOptions& o) { o.block_size = 1025; },
              "block_size is 1025, must be 1 to 1024"},
        Fault{"NoRanks", [](ServerOptions& o) { o.world_size = 0; },
              "world_size is 0, must be 1 to 64"},
        Fault{"TooManyRanks", [](ServerOptions& o) { o.world_size = 65; },
              "world_size is 65, must be 1 to 64"},
        Fault{"ShortStepTimeout",
              [](ServerOptions& o) { o.step_timeout = absl::Milliseconds(1); },
              "step_timeout is 1ms, must be finite and at least 1s"},
        Fault{
            "EndlessDrain",
            [](ServerOptions& o) { o.drain_limit = absl::InfiniteDuration(); },
            "drain_limit is inf"},
        Fault{"NegativeDrain",
              [](ServerOptions& o) { o.drain_limit = -absl::Seconds(1); },
              "drain_limit is -1s, must be finite and at least 0"},
        Fault{"EngineOption",
              [](ServerOptions& o) { o.engine.pipeline_depth = 3; },
              "pipeline_depth is 3"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace quire
