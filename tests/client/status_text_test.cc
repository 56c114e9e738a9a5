#include "client/status_text.h"

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace quire {
namespace {

using testing::HasSubstr;
using testing::Not;

ServerFacts BusyServer() {
  ServerFacts facts;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"pb(name: "SmolLM2-135M"
           architecture: "llama"
           num_parameters: 134515008
           vocabulary_size: 49152
           context_length: 8192)pb",
      &facts.model));
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"pb(ready: true
           uptime_s: 3725
           epoch: 2
           running_requests: 1
           waiting_requests: 1
           waiting_tokens: 2048
           preemptions: 3
           steps: 1000
           prompt_tokens: 5000
           cached_prompt_tokens: 3000
           generated_tokens: 12345
           blocks {
             total: 1000
             active: 100
             cached: 50
             free: 850
             block_size: 16
             used_slots: 1520
             bytes_per_block: 368640
           }
           workers {
             up: true
             instruction_set: "avx512"
             compute: "auto"
             kv_dtype: "bf16"
             peer: "ipv4:127.0.0.1:40000"
           }
           requests {
             request_id: "first"
             running: true
             prompt_tokens: 100
             generated_tokens: 20
             blocks: 8
             age_s: 2
             priority: PRIORITY_HIGH
           }
           requests {
             request_id: "bad\x1b name"
             prompt_tokens: 2048
             preemptions: 1
             age_s: 61
           })pb",
      &facts.status));
  return facts;
}

TEST(StatusTextTest, ShowsAllOfABusyServer) {
  EXPECT_EQ(StatusText(BusyServer()),
            R"(server     ready, up 1h 02m
model      SmolLM2-135M (llama, 134,515,008 parameters, 49,152 tokens, context 8,192)
requests   1 running, 1 waiting (2,048 prompt tokens), 3 preemptions (0 by swapping, 0 tokens computed again)
tokens     5,000 of prompts and 3,000 found in the cache, 12,345 generated in 1,000 steps, epoch 2
blocks     100 active (95 % of their slots used), 50 cached, 850 free of 1,000
KV cache   352 MiB, a block is 16 slots and 360 KiB

WORKER       INSTRUCTIONS  COMPUTE  KV     PEER
0      up    avx512        auto     bf16   ipv4:127.0.0.1:40000

REQUEST              STATE         PROMPT  GENERATED  BLOCKS PREEMPT.      AGE
first                running high     100         20       8        0       2s
bad? name            waiting         2048          0       0        1   1m 01s
)");
}

TEST(StatusTextTest, SaysWhyAServerIsNotReady) {
  ServerFacts facts;
  facts.status.set_reason("no worker is attached");
  EXPECT_THAT(StatusText(facts), HasSubstr("not ready: no worker is attached"));
  EXPECT_THAT(StatusText(facts), HasSubstr("none until a worker is ready"));
  EXPECT_THAT(StatusText(facts), Not(HasSubstr("REQUEST ")));
}

}  // namespace
}  // namespace quire
