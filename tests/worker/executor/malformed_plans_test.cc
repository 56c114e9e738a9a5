#include <google/protobuf/message.h>

#include <array>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "common/clock.h"
#include "gtest/gtest.h"
#include "tests/testing/fake_model.h"
#include "tests/testing/plan_writer.h"
#include "worker/executor/executor.h"

namespace quire {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using testing::FakeModel;
using testing::NewSequenceOf;
using testing::PlanWriter;
using worker::v1::StepPlan;
using worker::v1::StepResult;

// Spoils plans at random places with numbers that tend to hurt. Each spoilt
// plan depends on the seed alone.
class Spoiler {
 public:
  explicit Spoiler(uint32_t seed) : random_(seed) {}

  void Spoil(Message* message) {
    std::vector<const FieldDescriptor*> fields;
    for (int i = 0; i < message->GetDescriptor()->field_count(); ++i) {
      fields.push_back(message->GetDescriptor()->field(i));
    }
    const FieldDescriptor* field = fields[Below(fields.size())];
    if (field->is_repeated()) {
      SpoilRepeated(message, field);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      Spoil(message->GetReflection()->MutableMessage(message, field));
    } else {
      SetNumber(message, field);
    }
  }

 private:
  size_t Below(size_t limit) { return random_() % limit; }

  uint64_t HurtfulNumber() {
    constexpr std::array<uint64_t, 12> kNumbers = {
        0,          1,          2,
        7,          16,         17,
        64,         0x7fffffff, 0x80000000,
        0xfffffffe, 0xffffffff, std::numeric_limits<uint64_t>::max()};
    return kNumbers[Below(kNumbers.size())];
  }

  float HurtfulFloat() {
    const std::array<float, 8> kFloats = {
        0,     -1,     0.5f,   std::numeric_limits<float>::quiet_NaN(),
        1e38f, -1e38f, 1e-45f, std::numeric_limits<float>::infinity()};
    return kFloats[Below(kFloats.size())];
  }

  void SpoilRepeated(Message* message, const FieldDescriptor* field) {
    const Reflection* reflection = message->GetReflection();
    const int size = reflection->FieldSize(*message, field);
    const bool is_message =
        field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
    if (size == 0 || Below(4) == 0) {
      is_message ? Spoil(reflection->AddMessage(message, field))
                 : AddNumber(message, field);
    } else if (Below(4) == 0) {
      reflection->RemoveLast(message, field);
    } else if (is_message) {
      Spoil(reflection->MutableRepeatedMessage(message, field,
                                               static_cast<int>(Below(size))));
    } else {
      const int place = static_cast<int>(Below(size));
      AddNumber(message, field);
      reflection->SwapElements(message, field, place, size);
      reflection->RemoveLast(message, field);
    }
  }

  void SetNumber(Message* message, const FieldDescriptor* field) {
    const Reflection* reflection = message->GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection->SetInt32(message, field,
                                    static_cast<int32_t>(HurtfulNumber()));
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection->SetUInt32(message, field,
                                     static_cast<uint32_t>(HurtfulNumber()));
      case FieldDescriptor::CPPTYPE_UINT64:
        return reflection->SetUInt64(message, field, HurtfulNumber());
      case FieldDescriptor::CPPTYPE_FLOAT:
        return reflection->SetFloat(message, field, HurtfulFloat());
      default:
        FAIL() << field->full_name() << " has a type that is not spoilt";
    }
  }

  void AddNumber(Message* message, const FieldDescriptor* field) {
    const Reflection* reflection = message->GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection->AddInt32(message, field,
                                    static_cast<int32_t>(HurtfulNumber()));
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection->AddUInt32(message, field,
                                     static_cast<uint32_t>(HurtfulNumber()));
      case FieldDescriptor::CPPTYPE_UINT64:
        return reflection->AddUInt64(message, field, HurtfulNumber());
      case FieldDescriptor::CPPTYPE_FLOAT:
        return reflection->AddFloat(message, field, HurtfulFloat());
      default:
        FAIL() << field->full_name() << " has a type that is not spoilt";
    }
  }

  std::mt19937 random_;
};

// An executor in the middle of its work: sequences 1, 2 and 7 are held.
class MalformedPlansTest : public ::testing::Test {
 protected:
  void StartOver() {
    ASSERT_TRUE(executor_
                    .Begin({.epoch = Epoch(1),
                            .block_size = 16,
                            .num_blocks = 16,
                            .max_step_rows = 64,
                            .num_host_blocks = 8})
                    .ok());
    StepResult result;
    const PlanWriter plan = PlanWriter(1)
                                .Add(NewSequenceOf(1, {1, 2, 3}, {0}))
                                .Add(NewSequenceOf(2, {4, 5}, {1, 2}))
                                .Add(NewSequenceOf(7, {6}, {3}))
                                .Run({.sequence = 1, .num_rows = 3})
                                .Run({.sequence = 2, .num_rows = 2})
                                .SwapOut(3, 2);
    ASSERT_TRUE(executor_.Execute(plan.plan(), &result).ok());
  }

  // A plan that uses everything.
  static StepPlan Good() {
    auto fresh = NewSequenceOf(8, {9, 8, 7}, {4});
    fresh.set_prompt_length(2);
    worker::v1::Sampling& s = *fresh.mutable_sampling();
    s.set_temperature(0.7f);
    s.set_top_k(5);
    s.set_presence_penalty(1);
    s.add_bias_tokens(3);
    s.add_bias_values(1);
    s.add_bad_words()->add_tokens(1);
    s.set_top_logprobs(2);
    s.set_top_prompt_logprobs(2);
    return PlanWriter(2)
        .Fork({.parent = 1, .child = 9, .num_tokens = 3, .tokens = {4}})
        .Release(7)
        .Add(fresh)
        .Edit(1, 1, {5})
        .Edit(2, 1, {6})
        .Edit(9, 0, {7})
        .SwapOut(0, 4)
        .SwapOut(3, 5)
        .SwapIn(4, 7)
        .SwapIn(2, 8)
        .Copy(1, 6, 2)
        .Run({.sequence = 8,
              .num_rows = 3,
              .samples = true,
              .prompt_logprobs = true})
        .Run({.sequence = 2, .slot = 1, .samples = true})
        .Run({.sequence = 9, .slot = 3, .samples = true})
        .plan();
  }

  FakeModel model_{/*vocabulary_size=*/64, /*context_length=*/64};
  ThreadPool pool_{1};
  SingleRankCommunicator communicator_;
  SystemClock clock_;
  Executor executor_{&model_,
                     &pool_,
                     &communicator_,
                     &clock_,
                     {.kv_cache_bytes = 1 << 20, .host_kv_bytes = 1 << 20}};
};

class RandomFaultsTest : public MalformedPlansTest,
                         public ::testing::WithParamInterface<uint32_t> {};

TEST_P(RandomFaultsTest, AreRefusedOrExecutedButHarmNothing) {
  Spoiler spoiler(GetParam());
  int refused = 0;
  int executed = 0;
  for (int round = 0; round < 2000; ++round) {
    StartOver();
    StepPlan plan = Good();
    StepResult result;
    // Several faults at once, so that one hides behind another.
    for (int fault = 0; fault <= round % 3; ++fault) spoiler.Spoil(&plan);
    executor_.Execute(plan, &result).ok() ? ++executed : ++refused;
  }
  // The spoiler neither spares every plan nor breaks each beyond interest.
  EXPECT_GT(refused, 500);
  EXPECT_GT(executed, 50);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomFaultsTest, ::testing::Range(1u, 6u));

TEST_F(MalformedPlansTest, PlanThatIsSpoiltIsGoodToStartWith) {
  StartOver();
  StepResult result;
  const absl::Status status = executor_.Execute(Good(), &result);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(result.sampled().token_size(), 3);
}

// One fault, and the text that names it.
struct Fault {
  const char* name;
  const char* message;
  void (*spoil)(StepPlan* plan);
};

class SingleFaultTest : public MalformedPlansTest,
                        public ::testing::WithParamInterface<Fault> {};

TEST_P(SingleFaultTest, IsRefusedByName) {
  StartOver();
  const int forwards = model_.num_forwards();
  StepPlan plan = Good();
  GetParam().spoil(&plan);
  StepResult result;
  EXPECT_EQ(executor_.Execute(plan, &result),
            absl::InvalidArgumentError(GetParam().message));
  EXPECT_EQ(model_.num_forwards(), forwards);
}

const Fault kFaults[] = {
    {"BiasTokenTwice",
     "sequence 8: sampling.bias_tokens names token 3 twice, must be distinct",
     [](StepPlan* plan) {
       auto& s = *plan->mutable_new_sequences(0)->mutable_sampling();
       s.add_bias_tokens(3);
       s.add_bias_values(2);
     }},
    {"BiasWithoutValue",
     "sequence 8: sampling has 2 bias_tokens and 1 bias_values",
     [](StepPlan* plan) {
       plan->mutable_new_sequences(0)->mutable_sampling()->add_bias_tokens(4);
     }},
    {"SamplesIsNoFlag", "sequence 8: runs.samples is 7, must be 0 or 1",
     [](StepPlan* plan) { plan->mutable_runs()->set_samples(0, 7); }},
    {"PromptLogprobsIsNoFlag",
     "sequence 2: runs.prompt_logprobs is 2, must be 0 or 1",
     [](StepPlan* plan) { plan->mutable_runs()->set_prompt_logprobs(1, 2); }},
    {"NewSequenceStartsBehindAGap",
     "sequence 8: writes from slot 5, only the first 0 slots of its table are "
     "written",
     [](StepPlan* plan) { plan->mutable_runs()->set_slot(0, 5); }},
    {"HeldSequenceLeavesAGap",
     "sequence 2: writes from slot 3, only the first 2 slots of its table are "
     "written",
     [](StepPlan* plan) { plan->mutable_runs()->set_slot(1, 3); }},
    {"GapInABlockThatWasReplaced",
     "sequence 2: writes from slot 1, only the first 0 slots of its table are "
     "written",
     [](StepPlan* plan) {
       plan->mutable_table_edits()->set_keep(1, 0);
       plan->mutable_table_edits()->set_appended(1, 9);
     }},
    {"CopyOfWhatWasNotWritten",
     "the first 3 slots of block 1 are copied, only 2 are written",
     [](StepPlan* plan) { plan->mutable_copies()->set_num_slots(0, 3); }},
    {"CopyOfABlockThatThisStepWrites",
     "the first 2 slots of block 4 are copied, only 0 are written",
     [](StepPlan* plan) { plan->mutable_copies()->set_source(0, 4); }},
    {"CopyOntoItself", "block 1 is both source and destination of copies",
     [](StepPlan* plan) { plan->mutable_copies()->set_destination(0, 1); }},
    {"BlockTwiceInANewTable", "sequence 8: names block 4 twice in its table",
     [](StepPlan* plan) { plan->mutable_new_sequences(0)->add_blocks(4); }},
    {"BlockTwiceInAnEditedTable",
     "sequence 1: names block 0 twice in its table",
     [](StepPlan* plan) { plan->mutable_table_edits()->set_appended(0, 0); }},
    {"TwoSequencesWriteOneBlock",
     "sequence 2: writes to block 1, which this step writes already",
     [](StepPlan* plan) { plan->mutable_new_sequences(0)->set_blocks(0, 1); }},
    {"ReleasedTwice", "sequence 7: released, but not held",
     [](StepPlan* plan) { plan->add_released(7); }},
    {"ReleasedSequenceHasRows", "sequence 2: its table is edited, but not held",
     [](StepPlan* plan) { plan->add_released(2); }},
    {"AddedTwice", "sequence 8: already held",
     [](StepPlan* plan) {
       *plan->add_new_sequences() = plan->new_sequences(0);
     }},
    {"AddedWhileHeld", "sequence 1: already held",
     [](StepPlan* plan) { plan->mutable_new_sequences(0)->set_sequence(1); }},
    {"TwoRunsOfOneSequence", "sequence 8: has two runs",
     [](StepPlan* plan) { plan->mutable_runs()->set_sequence(1, 8); }},
    {"SamplesTheSameTokenAgain",
     "sequence 8: samples position 2, but knows 3 tokens",
     [](StepPlan* plan) { plan->mutable_runs()->set_num_rows(0, 2); }},
    {"ForkOfAnUnknownSequence", "sequence 5: forked, but not held",
     [](StepPlan* plan) { plan->mutable_forks(0)->set_parent(5); }},
    {"ForkOfASequenceThatIsNew", "sequence 8: forked, but not held",
     [](StepPlan* plan) { plan->mutable_forks(0)->set_parent(8); }},
    {"ChildThatIsHeld", "sequence 2: already held",
     [](StepPlan* plan) { plan->mutable_forks(0)->set_child(2); }},
    {"ChildThatIsNewAsWell", "sequence 8: already held",
     [](StepPlan* plan) { plan->mutable_forks(0)->set_child(8); }},
    {"ChildWithoutItsPrompt",
     "sequence 9: begins with 2 tokens of sequence 1, must be 3 to 3",
     [](StepPlan* plan) { plan->mutable_forks(0)->set_num_tokens(2); }},
    {"ChildOfTokensToCome",
     "sequence 9: begins with 4 tokens of sequence 1, must be 3 to 3",
     [](StepPlan* plan) { plan->mutable_forks(0)->set_num_tokens(4); }},
    {"ChildWithATokenThatIsNone",
     "sequence 9: holds token -1, the vocabulary has 64",
     [](StepPlan* plan) { plan->mutable_forks(0)->set_tokens(0, -1); }},
    {"ChildWritesWhereItsParentReads",
     "sequence 9: writes from slot 3, only the first 2 slots of its table are "
     "written",
     [](StepPlan* plan) { plan->mutable_table_edits()->set_appended(2, 6); }},
    {"SwapArrays", "swaps_out has 2 sources and 3 destinations",
     [](StepPlan* plan) { plan->mutable_swaps_out()->add_destination(1); }},
    {"SwapInArrays", "swaps_in has 1 sources and 2 destinations",
     [](StepPlan* plan) {
       plan->mutable_swaps_in()->mutable_source()->RemoveLast();
     }},
    {"SwapToAHostBlockThatIsNone",
     "block 0 and host block 8 are swapped, there are 16 and 8",
     [](StepPlan* plan) { plan->mutable_swaps_out()->set_destination(0, 8); }},
    {"SwapToABlockThatIsNone",
     "block 16 and host block 2 are swapped, there are 16 and 8",
     [](StepPlan* plan) { plan->mutable_swaps_in()->set_destination(1, 16); }},
    {"SwapOfABlockTwice", "block 0 is swapped twice",
     [](StepPlan* plan) { plan->mutable_swaps_out()->set_source(1, 0); }},
    {"SwapToAHostBlockTwice", "host block 4 is swapped twice",
     [](StepPlan* plan) { plan->mutable_swaps_out()->set_destination(1, 4); }},
    {"SwapInOfWhatWasNotSwappedOut",
     "host block 3 is swapped in, but nothing was swapped out to it",
     [](StepPlan* plan) { plan->mutable_swaps_in()->set_source(1, 3); }},
    {"RowsBehindWhatWasSwappedOut",
     "sequence 9: writes from slot 3, only the first 0 slots of its table are "
     "written",
     [](StepPlan* plan) {
       plan->mutable_swaps_out()->set_source(0, 4);  // Nobody wrote it.
     }},
    {"RowsOfTokensToCome",
     "sequence 2: has rows up to position 3, knows 2 tokens of a context of 64",
     [](StepPlan* plan) { plan->mutable_runs()->set_position(1, 2); }},
    {"NumbersThatWrapAround",
     "sequence 2: has rows up to position 4294967296, knows 2 tokens of a "
     "context of 64",
     [](StepPlan* plan) { plan->mutable_runs()->set_position(1, ~0u); }},
    {"SlotsThatWrapAround",
     "sequence 2: writes up to slot 4294967296, its table has 32",
     [](StepPlan* plan) { plan->mutable_runs()->set_slot(1, ~0u); }},
};

INSTANTIATE_TEST_SUITE_P(Faults, SingleFaultTest, ::testing::ValuesIn(kFaults),
                         [](const ::testing::TestParamInfo<Fault>& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace quire
