#include "tests/fuzz/frontend/random_message.h"

#include <cstdint>
#include <iterator>
#include <limits>
#include <string>

#include "google/protobuf/descriptor.h"

namespace quire::testing {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr uint64_t kIntegers[] = {
    0,   1,   2,          20,         21,         64,
    200, 259, 0x7fffffff, 0x80000000, 0xffffffff, ~uint64_t{0}};
constexpr float kFloats[] = {0,
                             -0.0f,
                             0.5,
                             1,
                             2,
                             100,
                             -1,
                             -2,
                             std::numeric_limits<float>::denorm_min(),
                             std::numeric_limits<float>::max(),
                             std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()};
const std::string kStrings[] = {"",
                                "a",
                                "Hello, world",
                                "user",
                                "assistant",
                                "<eos>",
                                "€",
                                "\1",
                                "a\nb",
                                std::string(256, 'x'),
                                std::string(257, 'x'),
                                std::string(5000, 'x')};

template <typename T, size_t kSize>
const T& OneOf(std::mt19937_64& random, const T (&values)[kSize]) {
  // Small indices, which are the plausible values, come more often.
  return values[random() % (1 + random() % kSize)];
}

// Sets a field, or adds to a repeated one.
void FillField(std::mt19937_64& random, const FieldDescriptor* field,
               Message* message) {
  const Reflection& reflection = *message->GetReflection();
  const bool repeated = field->is_repeated();
#define QUIRE_PUT(Type, value)                                  \
  return repeated ? reflection.Add##Type(message, field, value) \
                  : reflection.Set##Type(message, field, value)
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      QUIRE_PUT(Int32, static_cast<int32_t>(OneOf(random, kIntegers)));
    case FieldDescriptor::CPPTYPE_UINT32:
      QUIRE_PUT(UInt32, static_cast<uint32_t>(OneOf(random, kIntegers)));
    case FieldDescriptor::CPPTYPE_UINT64:
      QUIRE_PUT(UInt64, OneOf(random, kIntegers));
    case FieldDescriptor::CPPTYPE_FLOAT:
      QUIRE_PUT(Float, OneOf(random, kFloats));
    case FieldDescriptor::CPPTYPE_BOOL:
      QUIRE_PUT(Bool, random() % 2 == 0);
    case FieldDescriptor::CPPTYPE_STRING:
      QUIRE_PUT(String, OneOf(random, kStrings));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return FillRandomly(random,
                          repeated ? reflection.AddMessage(message, field)
                                   : reflection.MutableMessage(message, field));
    default:
      return;
  }
#undef QUIRE_PUT
}

}  // namespace

void FillRandomly(std::mt19937_64& random, Message* message) {
  const auto* descriptor = message->GetDescriptor();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    if (random() % 3 != 0) continue;
    const FieldDescriptor* field = descriptor->field(i);
    const uint64_t count = field->is_repeated() ? 1 + random() % 4 : 1;
    for (uint64_t k = 0; k < count; ++k) FillField(random, field, message);
  }
}

}  // namespace quire::testing
