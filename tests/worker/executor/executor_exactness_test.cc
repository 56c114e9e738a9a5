#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#include "common/clock.h"
#include "gtest/gtest.h"
#include "tests/testing/fake_model.h"
#include "tests/testing/plan_writer.h"
#include "worker/executor/executor.h"

namespace quire {
namespace {

using testing::FakeModel;
using testing::NewSequenceOf;
using testing::PlanWriter;
using worker::v1::NewSequence;
using worker::v1::StepResult;

constexpr int kVocabulary = 500;
constexpr int kContext = 48;
constexpr int kBlockSize = 4;
constexpr int kNumBlocks = 200;
constexpr int kNumHostBlocks = 100;
constexpr int kMaxRows = 64;

// What a sequence yields.
struct Answer {
  std::vector<Token> tokens;
  std::vector<float> logprobs;
  std::vector<float> prompt_logprobs;

  bool operator==(const Answer&) const = default;
};

struct Subject {
  NewSequence description;  // Without blocks.
  uint32_t num_computed = 0;
  uint32_t num_known = 0;  // Tokens, with those that are being sampled.
  std::vector<uint32_t> blocks;
  std::vector<uint32_t> host_blocks;  // Instead of them, while swapped out.
  bool is_added = false;
  Answer answer;
};

// How the subjects are served: all of it must be without effect.
struct Manner {
  const char* name;
  int max_chunk = kMaxRows;  // Rows of a prompt in one step.
  int max_together = 100;    // Runs in one step.
  bool shuffles_blocks = false;
  int num_threads = 1;
  uint32_t preempt_every = 0;  // Steps; 0 = never.
  uint32_t swap_every = 0;     // As well.
  int max_drafts = 0;          // Behind what samples; some are right.
};

// Whether the sequence's sampling does not look at the tokens before.
bool TakesDrafts(uint64_t id) { return id % 3 == 2; }

// Serves a set of sequences to their end.
class Serving {
 public:
  // `truth`: from which right drafts are taken.
  Serving(const Manner& manner, std::vector<NewSequence> descriptions,
          std::vector<Answer> truth = {})
      : manner_(manner), truth_(std::move(truth)), pool_(manner.num_threads) {
    for (NewSequence& d : descriptions) {
      const auto num_tokens = static_cast<uint32_t>(d.tokens_size());
      subjects_.push_back(
          {.description = std::move(d), .num_known = num_tokens});
    }
    free_.resize(kNumBlocks);
    std::iota(free_.begin(), free_.end(), 0);
    free_host_.resize(kNumHostBlocks);
    std::iota(free_host_.begin(), free_host_.end(), 0);
    if (manner.shuffles_blocks)
      std::shuffle(free_.begin(), free_.end(), random_);
    EXPECT_TRUE(executor_
                    .Begin({.epoch = Epoch(1),
                            .block_size = kBlockSize,
                            .num_blocks = kNumBlocks,
                            .max_step_rows = kMaxRows,
                            .num_host_blocks = kNumHostBlocks})
                    .ok());
  }

  std::vector<Answer> Run() {
    while (Step()) continue;
    EXPECT_EQ(num_right_drafts_ > 10, manner_.max_drafts > 0);
    std::vector<Answer> answers;
    for (Subject& s : subjects_) answers.push_back(s.answer);
    return answers;
  }

 private:
  bool Step() {
    PlanWriter plan(++step_);
    if (manner_.preempt_every != 0 && step_ % manner_.preempt_every == 0) {
      Preempt(&subjects_[random_() % subjects_.size()], &plan);
    }
    if (manner_.swap_every != 0 && step_ % manner_.swap_every == 0) {
      SwapOut(&subjects_[random_() % subjects_.size()], &plan);
    }
    int rows = 0;
    int runs = 0;
    // Another one comes first in each step, so that batches differ.
    for (size_t i = 0; i < subjects_.size(); ++i) {
      Subject& s = subjects_[(i + step_) % subjects_.size()];
      if (s.num_computed >= kContext || runs == manner_.max_together) continue;
      const uint32_t count = std::min<uint32_t>(
          s.num_known - s.num_computed, 1 + random_() % manner_.max_chunk);
      const int most_rows = static_cast<int>(count) + manner_.max_drafts;
      if (rows + most_rows > kMaxRows) continue;
      Add(&s, count, &plan);
      rows += most_rows;
      ++runs;
    }
    StepResult result;
    const absl::Status status = executor_.Execute(plan.plan(), &result);
    EXPECT_TRUE(status.ok()) << status;
    Take(result);
    return runs > 0 && status.ok();
  }

  void Preempt(Subject* s, PlanWriter* plan) {
    if (!s->is_added || s->num_computed >= kContext) return;
    plan->Release(s->description.sequence());
    s->is_added = false;
    s->num_computed = 0;
    free_.insert(free_.begin(), s->blocks.begin(), s->blocks.end());
    s->blocks.clear();
  }

  // What it held may be another's in the same step.
  void SwapOut(Subject* s, PlanWriter* plan) {
    if (!s->is_added || !s->host_blocks.empty()) return;
    plan->Edit(s->description.sequence(), 0, {});
    for (const uint32_t block : s->blocks) {
      s->host_blocks.push_back(free_host_.back());
      free_host_.pop_back();
      plan->SwapOut(block, s->host_blocks.back());
    }
    free_.insert(free_.end(), s->blocks.begin(), s->blocks.end());
    s->blocks.clear();
  }

  void SwapIn(Subject* s, PlanWriter* plan) {
    for (const uint32_t host_block : s->host_blocks) {
      s->blocks.push_back(free_.back());
      free_.pop_back();
      plan->SwapIn(host_block, s->blocks.back());
      free_host_.push_back(host_block);
    }
    s->host_blocks.clear();
  }

  void Add(Subject* s, uint32_t count, PlanWriter* plan) {
    const uint64_t id = s->description.sequence();
    if (!s->is_added) {
      s->is_added = true;
      plan->Add(s->description);
    }
    const auto keep = static_cast<uint32_t>(s->blocks.size());
    SwapIn(s, plan);
    const uint32_t end = s->num_computed + count;
    const std::vector<Token> drafts = Drafts(*s, end);
    while (s->blocks.size() * kBlockSize < end + drafts.size()) {
      s->blocks.push_back(free_.back());
      free_.pop_back();
    }
    plan->Edit(id, keep, {s->blocks.begin() + keep, s->blocks.end()});
    plan->Run({.sequence = id,
               .slot = s->num_computed,
               .num_rows = count,
               .samples = end == s->num_known,
               // Scored once only: a preempted prompt is computed again.
               .prompt_logprobs = manner_.preempt_every == 0,
               .drafts = drafts});
    if (end == s->num_known) ++s->num_known;
    s->num_computed = end;
  }

  std::vector<Token> Drafts(const Subject& s, uint32_t end) {
    std::vector<Token> drafts;
    const uint64_t id = s.description.sequence();
    if (manner_.max_drafts == 0 || end < s.num_known || !TakesDrafts(id)) {
      return drafts;
    }
    const size_t count =
        std::min<size_t>(random_() % (manner_.max_drafts + 1), kContext - end);
    while (drafts.size() < count) {
      const size_t i = s.answer.tokens.size() + drafts.size();
      const bool is_right = random_() % 3 != 0;
      drafts.push_back(is_right ? truth_[id].tokens[i]
                                : static_cast<Token>(random_() % kVocabulary));
    }
    return drafts;
  }

  void Take(const StepResult& result) {
    for (int i = 0; i < result.sampled().token_size(); ++i) {
      const uint64_t id = result.sampled().sequence(i);
      Subject& s = subjects_[id];
      if (i > 0 && result.sampled().sequence(i - 1) == id) {
        ++s.num_known;
        ++s.num_computed;
        ++num_right_drafts_;
      }
      s.answer.tokens.push_back(result.sampled().token(i));
      s.answer.logprobs.push_back(result.sampled().logprob(i));
      s.description.add_tokens(result.sampled().token(i));
    }
    for (int i = 0; i < result.prompt_logprobs().logprob_size(); ++i) {
      Subject& s = subjects_[result.prompt_logprobs().sequence(i)];
      s.answer.prompt_logprobs.push_back(result.prompt_logprobs().logprob(i));
    }
  }

  const Manner manner_;
  const std::vector<Answer> truth_;  // By sequence id.
  int num_right_drafts_ = 0;
  std::mt19937 random_{5};
  std::vector<Subject> subjects_;  // By sequence id.
  std::vector<uint32_t> free_;
  std::vector<uint32_t> free_host_;
  uint64_t step_ = 0;
  FakeModel model_{kVocabulary, kContext};
  ThreadPool pool_;
  SingleRankCommunicator communicator_;
  SystemClock clock_;
  Executor executor_{&model_,
                     &pool_,
                     &communicator_,
                     &clock_,
                     {.kv_cache_bytes = 1 << 20,
                      .host_kv_bytes = 1 << 20,
                      .logit_rows_at_once = 5}};
};

// Prompts of 1 to 20 tokens, greedy and random sampling of every kind.
std::vector<NewSequence> Descriptions() {
  std::mt19937 random(9);
  std::vector<NewSequence> descriptions;
  for (uint64_t id = 0; id < 7; ++id) {
    std::vector<Token> tokens(1 + id * 3);
    for (Token& t : tokens) t = static_cast<Token>(random() % kVocabulary);
    NewSequence d = NewSequenceOf(id, tokens, {});
    worker::v1::Sampling& s = *d.mutable_sampling();
    s.set_seed(id);
    s.set_temperature(id % 2 == 0 ? 0 : 0.8f);
    if (id % 3 == 0) s.set_repetition_penalty(1.3f);
    if (id % 3 == 1) s.set_frequency_penalty(0.5f);
    if (id == 3) s.set_top_k(20);
    if (id == 5) s.set_top_p(0.8f);
    descriptions.push_back(d);
  }
  return descriptions;
}

class ExecutorExactnessTest : public ::testing::TestWithParam<Manner> {};

TEST_P(ExecutorExactnessTest, SequencesYieldTheSameBitsAsAlone) {
  std::vector<Answer> expected =
      Serving({.name = "alone", .max_together = 1}, Descriptions()).Run();
  const std::vector<Answer> answers =
      Serving(GetParam(), Descriptions(), expected).Run();
  for (size_t i = 0; i < answers.size(); ++i) {
    if (GetParam().preempt_every != 0) expected[i].prompt_logprobs.clear();
    EXPECT_EQ(answers[i].tokens.size(), kContext - i * 3) << i;
    EXPECT_EQ(answers[i], expected[i]) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Manners, ExecutorExactnessTest,
    ::testing::Values(Manner{.name = "Together"},
                      Manner{.name = "InSmallChunks", .max_chunk = 3},
                      Manner{.name = "RowByRow", .max_chunk = 1},
                      Manner{.name = "OnScatteredBlocks",
                             .max_chunk = 5,
                             .shuffles_blocks = true},
                      Manner{.name = "OnThreeThreads", .num_threads = 3},
                      Manner{.name = "Preempted",
                             .max_chunk = 7,
                             .max_together = 3,
                             .preempt_every = 5},
                      Manner{.name = "WithDrafts", .max_drafts = 5},
                      Manner{.name = "WithDraftsAndPreempted",
                             .max_chunk = 7,
                             .num_threads = 3,
                             .preempt_every = 5,
                             .max_drafts = 9},
                      Manner{.name = "Swapped",
                             .max_chunk = 7,
                             .max_together = 3,
                             .swap_every = 2}),
    [](const ::testing::TestParamInfo<Manner>& info) {
      return std::string(info.param.name);
    });

}  // namespace
}  // namespace quire
