#include "common/modelfile/model_config.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "tests/common/modelfile/is_error.h"

namespace quire {
namespace {

using testing::IsInvalid;
using testing::IsOk;

ModelConfig GoodConfig() {
  return {.architecture = "llama",
          .num_layers = 2,
          .hidden_size = 64,
          .intermediate_size = 160,
          .num_heads = 8,
          .num_kv_heads = 4,
          .head_dim = 8,
          .vocabulary_size = 512,
          .context_length = 2048,
          .llama3_rope_scaling = Llama3RopeScaling(),
          .eos_token_ids = {0, 511}};
}

TEST(ModelConfig, SaneConfigurationIsValid) {
  EXPECT_THAT(GoodConfig().Validate(), IsOk());
}

struct Lie {
  const char* message;
  std::function<void(ModelConfig&)> tell;
};

class ModelConfigLieTest : public ::testing::TestWithParam<Lie> {};

TEST_P(ModelConfigLieTest, IsRefusedByFieldAndLimit) {
  ModelConfig config = GoodConfig();
  GetParam().tell(config);
  EXPECT_THAT(config.Validate(), IsInvalid(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    Lies, ModelConfigLieTest,
    ::testing::Values(
        Lie{"architecture is 'gpt2', expected 'llama' or 'qwen2'",
            [](ModelConfig& c) { c.architecture = "gpt2"; }},
        Lie{"num_layers is 0, expected 1 to 65536",
            [](ModelConfig& c) { c.num_layers = 0; }},
        Lie{"num_layers is 65537",
            [](ModelConfig& c) { c.num_layers = 65537; }},
        Lie{"hidden_size is -64", [](ModelConfig& c) { c.hidden_size = -64; }},
        Lie{"intermediate_size is 2147483648, expected 1 to 2147483647",
            [](ModelConfig& c) { c.intermediate_size = int64_t{1} << 31; }},
        Lie{"num_heads is 0", [](ModelConfig& c) { c.num_heads = 0; }},
        Lie{"num_kv_heads is 0", [](ModelConfig& c) { c.num_kv_heads = 0; }},
        Lie{"num_heads is 8, expected a multiple of num_kv_heads, 3",
            [](ModelConfig& c) { c.num_kv_heads = 3; }},
        Lie{"head_dim is 7, expected an even number",
            [](ModelConfig& c) { c.head_dim = 7; }},
        Lie{"num_heads * head_dim is",
            [](ModelConfig& c) { c.num_heads = c.head_dim = 1 << 20; }},
        Lie{"vocabulary_size is 0",
            [](ModelConfig& c) { c.vocabulary_size = 0; }},
        Lie{"context_length is 0",
            [](ModelConfig& c) { c.context_length = 0; }},
        Lie{"rms_norm_epsilon is nan, expected 0 to 1",
            [](ModelConfig& c) { c.rms_norm_epsilon = std::nan(""); }},
        Lie{"rope_theta is inf",
            [](ModelConfig& c) {
              c.rope_theta = std::numeric_limits<double>::infinity();
            }},
        Lie{"rope_theta is 0", [](ModelConfig& c) { c.rope_theta = 0; }},
        Lie{"rope factor is 0",
            [](ModelConfig& c) { c.llama3_rope_scaling->factor = 0; }},
        Lie{"high_freq_factor is 1, expected more than low_freq_factor, 1",
            [](ModelConfig& c) {
              c.llama3_rope_scaling->high_freq_factor = 1;
            }},
        Lie{"original_context_length is 0",
            [](ModelConfig& c) {
              c.llama3_rope_scaling->original_context_length = 0;
            }},
        Lie{"eos_token_ids has 512, expected 0 to 511",
            [](ModelConfig& c) { c.eos_token_ids = {512}; }},
        Lie{"eos_token_ids has -1",
            [](ModelConfig& c) { c.eos_token_ids = {-1}; }}));

}  // namespace
}  // namespace quire
