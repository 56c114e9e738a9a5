#include "scheduler/sim/model_shape.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::HasSubstr;

TEST(ModelShapeTest, Opt13bTakes800KibATokenAnd26GbOfWeights) {
  const ModelShape shape = *FindModelShape("opt-13b");
  EXPECT_EQ(shape.bytes_per_slot(), 800 * 1024);
  EXPECT_EQ(shape.num_slots, 15'728);
  EXPECT_NEAR(static_cast<double>(shape.weight_bytes()), 26e9, 0.5e9);
}

TEST(ModelShapeTest, LargerModelsFillSeveralDevices) {
  const ModelShape opt66b = *FindModelShape("opt-66b");
  EXPECT_EQ(opt66b.num_devices, 4);
  EXPECT_NEAR(static_cast<double>(opt66b.num_slots), 9'700, 50);
  EXPECT_NEAR(static_cast<double>(opt66b.weight_bytes()), 132e9, 3e9);
  const ModelShape opt175b = *FindModelShape("opt-175b");
  EXPECT_EQ(opt175b.num_devices, 8);
  EXPECT_NEAR(static_cast<double>(opt175b.num_slots), 60'100, 50);
  EXPECT_NEAR(static_cast<double>(opt175b.weight_bytes()), 346e9, 4e9);
}

TEST(ModelShapeTest, Llama13bTakesAsMuchAsOpt13b) {
  const ModelShape llama = *FindModelShape("llama-13b");
  const ModelShape opt = *FindModelShape("opt-13b");
  EXPECT_EQ(llama.bytes_per_slot(), opt.bytes_per_slot());
  EXPECT_EQ(llama.num_slots, opt.num_slots);
  EXPECT_NEAR(static_cast<double>(llama.weight_bytes()), 26e9, 0.5e9);
}

TEST(ModelShapeTest, AnyConfigurationHasAShape) {
  const ModelConfig config = {.architecture = "llama",
                              .num_layers = 2,
                              .hidden_size = 64,
                              .intermediate_size = 128,
                              .num_heads = 4,
                              .num_kv_heads = 2,
                              .head_dim = 16,
                              .vocabulary_size = 100,
                              .context_length = 512};
  const ModelShape shape = *ShapeOf(config, /*bytes_per_element=*/4);
  EXPECT_EQ(shape.bytes_per_slot(), 2 * 2 * 32 * 4);
  // Per layer Q and output 64 x 64, K and V 64 x 32, three of 64 x 128.
  EXPECT_EQ(shape.num_parameters,
            2 * (2 * 64 * 64 + 2 * 64 * 32 + 3 * 64 * 128) + 100 * 64);
  EXPECT_EQ(shape.context_length, 512);
}

TEST(ModelShapeTest, SizesWhoseProductNoDevicesHoldAreNamed) {
  constexpr int64_t kHuge = (int64_t{1} << 31) - 2;
  ModelConfig config = {.architecture = "llama",
                        .num_layers = 65536,
                        .hidden_size = kHuge,
                        .intermediate_size = kHuge,
                        .num_heads = 1,
                        .num_kv_heads = 1,
                        .head_dim = kHuge,
                        .vocabulary_size = kHuge,
                        .context_length = 2048};
  ASSERT_TRUE(config.Validate().ok()) << config.Validate();
  EXPECT_EQ(ShapeOf(config, /*bytes_per_element=*/2).status().message(),
            "weight_bytes is 4.231e+24, must be at most 1.153e+18: num_layers "
            "is 65536, hidden_size 2147483646, intermediate_size 2147483646, "
            "vocabulary_size 2147483646");
  // Far above any model, and still no overflow.
  config.num_layers = 1;
  config.hidden_size = config.head_dim = config.intermediate_size = 1 << 27;
  config.vocabulary_size = 1;
  EXPECT_EQ(ShapeOf(config, /*bytes_per_element=*/2)->weight_bytes(),
            2 * ((uint64_t{7} << 54) + (1 << 27)));
}

TEST(ModelShapeTest, NamesTheModelsThereAre) {
  EXPECT_THAT(std::string(FindModelShape("x").status().message()),
              HasSubstr("no model x; there are: opt-13b, opt-66b, opt-175b, "
                        "llama-13b"));
}

TEST(ModelShapeTest, TheCacheIsWhatWeightsLeave) {
  ModelShape shape = {.num_layers = 1,
                      .kv_size = 5,
                      .num_parameters = 50,
                      .num_devices = 2};  // 100 bytes of weights, 20 a slot.
  ASSERT_TRUE(shape.FillDevices(95).ok());
  EXPECT_EQ(shape.num_slots, 4);
  EXPECT_EQ(shape.FillDevices(59).message(),
            "device_memory is 59, which on 2 devices has no room for the KV "
            "cache: the weights take 100 bytes, a slot 20");
  EXPECT_THAT(std::string(shape.FillDevices(uint64_t{1} << 63).message()),
              HasSubstr("device_memory is 9223372036854775808, must be 1 to"));
}

}  // namespace
}  // namespace quire
