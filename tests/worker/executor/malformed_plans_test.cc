#include <google/protobuf/message.h>

#include <array>
#include <limits>
#include <random>
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
class MalformedPlansTest : public ::testing::TestWithParam<uint32_t> {
 protected:
  void StartOver() {
    ASSERT_TRUE(executor_
                    .Begin({.epoch = Epoch(1),
                            .block_size = 16,
                            .num_blocks = 16,
                            .max_step_rows = 64})
                    .ok());
    StepResult result;
    const PlanWriter plan = PlanWriter(1)
                                .Add(NewSequenceOf(1, {1, 2, 3}, {0}))
                                .Add(NewSequenceOf(2, {4, 5}, {1, 2}))
                                .Add(NewSequenceOf(7, {6}, {3}))
                                .Run({.sequence = 1, .num_rows = 3})
                                .Run({.sequence = 2, .num_rows = 2});
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
        .Release(7)
        .Add(fresh)
        .Edit(1, 1, {5})
        .Edit(2, 1, {6})
        .Copy(2, 6, 3)
        .Run({.sequence = 8,
              .num_rows = 3,
              .samples = true,
              .prompt_logprobs = true})
        .Run({.sequence = 2, .slot = 1, .samples = true})
        .plan();
  }

  FakeModel model_{/*vocabulary_size=*/64, /*context_length=*/64};
  ThreadPool pool_{1};
  SingleRankCommunicator communicator_;
  SystemClock clock_;
  Executor executor_{
      &model_, &pool_, &communicator_, &clock_, {.kv_cache_bytes = 1 << 20}};
};

TEST_P(MalformedPlansTest, AreRefusedOrExecutedButHarmNothing) {
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

INSTANTIATE_TEST_SUITE_P(Seeds, MalformedPlansTest, ::testing::Range(1u, 6u));

TEST_P(MalformedPlansTest, PlanThatIsSpoiltIsGoodToStartWith) {
  StartOver();
  StepResult result;
  const absl::Status status = executor_.Execute(Good(), &result);
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(result.sampled().token_size(), 2);
}

}  // namespace
}  // namespace quire
