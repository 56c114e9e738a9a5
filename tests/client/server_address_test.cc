#include "client/server_address.h"

#include <string>

#include "gtest/gtest.h"

namespace quire {
namespace {

class AddressTest : public testing::TestWithParam<const char*> {};
class NoAddressTest : public testing::TestWithParam<const char*> {};

TEST_P(AddressTest, IsKeptAsItIs) {
  ServerAddress address;
  std::string error;
  EXPECT_TRUE(AbslParseFlag(GetParam(), &address, &error)) << error;
  EXPECT_EQ(AbslUnparseFlag(address), GetParam());
}

INSTANTIATE_TEST_SUITE_P(ServerAddress, AddressTest,
                         testing::Values("127.0.0.1:8300", "localhost:1",
                                         "quire.default.svc:65535",
                                         "my_host-2:80", "[::1]:8300",
                                         "[fe80::1%1]:8300",
                                         "unix:/run/quire.sock"));

TEST_P(NoAddressTest, IsRefusedWithWhatIsOne) {
  ServerAddress address = {.text = "as before"};
  std::string error;
  EXPECT_FALSE(AbslParseFlag(GetParam(), &address, &error));
  EXPECT_EQ(error,
            "must be HOST:PORT, [HOST]:PORT or unix:PATH of at most 107 bytes");
  EXPECT_EQ(address.text, "as before");
}

TEST(ServerAddressTest, PathIsNoLongerThanTheKernelTakes) {
  ServerAddress address;
  std::string error;
  EXPECT_TRUE(AbslParseFlag("unix:" + std::string(107, 'x'), &address, &error));
  EXPECT_FALSE(
      AbslParseFlag("unix:" + std::string(108, 'x'), &address, &error));
}

INSTANTIATE_TEST_SUITE_P(ServerAddress, NoAddressTest,
                         testing::Values("", "localhost", ":8300", "host:",
                                         "host:http", "host:0", "host:65536",
                                         "host:-1", "a b:80", "http://host:80",
                                         "::1:8300", "[]:80", "[zz]:80",
                                         "[fe80::1%]:80", "[::1:80", "unix:"));

}  // namespace
}  // namespace quire
