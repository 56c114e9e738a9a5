#include "common/modelfile/fingerprint.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

namespace quire {
namespace {

class FingerprintTest : public ::testing::Test {
 protected:
  FingerprintTest() : bytes_(4096, std::byte{7}) {
    config_ = {.architecture = "llama",
               .num_layers = 1,
               .hidden_size = 32,
               .llama3_rope_scaling = Llama3RopeScaling(),
               .eos_token_ids = {1, 2}};
    tensors_["a"] = {.name = "a",
                     .type = TensorType::kF32,
                     .shape = {32, 32},
                     .data = bytes_};
  }

  std::string Fingerprint() const {
    return ModelFingerprint(config_, tensors_);
  }
  std::string FingerprintAfter(
      const std::function<void(ModelConfig&)>& change) const {
    ModelConfig config = config_;
    change(config);
    return ModelFingerprint(config, tensors_);
  }

  std::vector<std::byte> bytes_;
  ModelConfig config_;
  TensorMap tensors_;
};

TEST_F(FingerprintTest, IsTheSameOnEveryMachine) {
  EXPECT_EQ(Fingerprint(), "66e6c0803a6a10d1");
}

TEST_F(FingerprintTest, EveryFieldOfTheConfigurationCounts) {
  std::set<std::string> seen = {Fingerprint()};
  const std::function<void(ModelConfig&)> kChanges[] = {
      [](ModelConfig& c) { c.architecture = "qwen2"; },
      [](ModelConfig& c) { c.num_layers = 2; },
      [](ModelConfig& c) { c.hidden_size = 33; },
      [](ModelConfig& c) { c.intermediate_size = 1; },
      [](ModelConfig& c) { c.num_heads = 1; },
      [](ModelConfig& c) { c.num_kv_heads = 1; },
      [](ModelConfig& c) { c.head_dim = 1; },
      [](ModelConfig& c) { c.vocabulary_size = 1; },
      [](ModelConfig& c) { c.context_length = 1; },
      [](ModelConfig& c) { c.rms_norm_epsilon = 1e-6; },
      [](ModelConfig& c) { c.rope_theta = 10001; },
      [](ModelConfig& c) { c.rope_pairing = RopePairing::kNeighbours; },
      [](ModelConfig& c) { c.llama3_rope_scaling->factor = 9; },
      [](ModelConfig& c) { c.llama3_rope_scaling.reset(); },
      [](ModelConfig& c) { c.has_rope_factors = true; },
      [](ModelConfig& c) { c.attention_bias = true; },
      [](ModelConfig& c) { c.tied_embeddings = true; },
      [](ModelConfig& c) { c.eos_token_ids = {12}; },
  };
  for (const auto& change : kChanges) {
    EXPECT_TRUE(seen.insert(FingerprintAfter(change)).second);
  }
}

TEST_F(FingerprintTest, NameTypeAndShapeOfATensorCount) {
  std::set<std::string> seen = {Fingerprint()};
  tensors_["a"].shape = {16, 64};
  EXPECT_TRUE(seen.insert(Fingerprint()).second);
  tensors_["a"].type = TensorType::kF16;
  EXPECT_TRUE(seen.insert(Fingerprint()).second);
  auto node = tensors_.extract("a");
  node.key() = "b";
  tensors_.insert(std::move(node));
  EXPECT_TRUE(seen.insert(Fingerprint()).second);
}

TEST_F(FingerprintTest, FirstAndLastByteOfATensorCount) {
  std::set<std::string> seen = {Fingerprint()};
  bytes_.front() = std::byte{8};
  EXPECT_TRUE(seen.insert(Fingerprint()).second);
  bytes_.back() = std::byte{8};
  EXPECT_TRUE(seen.insert(Fingerprint()).second);
}

TEST_F(FingerprintTest, EveryByteOfASmallTensorCounts) {
  tensors_["a"].data = std::span(bytes_).first(256);
  std::set<std::string> seen = {Fingerprint()};
  for (size_t i = 0; i < 256; ++i) {
    bytes_[i] ^= std::byte{1};
    EXPECT_TRUE(seen.insert(Fingerprint()).second) << i;
  }
}

}  // namespace
}  // namespace quire
