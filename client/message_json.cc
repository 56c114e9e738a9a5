#include "client/message_json.h"

#include <charconv>
#include <string>

#include "common/check.h"

namespace quire {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Json = nlohmann::ordered_json;

Json BytesToJson(const std::string& bytes) {
  Json list = Json::array();
  for (const char byte : bytes) list.push_back(static_cast<uint8_t>(byte));
  return list;
}

Json StringToJson(const FieldDescriptor& field, const std::string& value) {
  return field.type() == FieldDescriptor::TYPE_BYTES ? BytesToJson(value)
                                                     : Json(value);
}

// The field's value; of a repeated field the value at `index`.
Json ValueToJson(const Message& message, const FieldDescriptor* field,
                 int index) {
  const Reflection& r = *message.GetReflection();
  const bool repeated = field->is_repeated();
#define QUIRE_VALUE(type)                                \
  (repeated ? r.GetRepeated##type(message, field, index) \
            : r.Get##type(message, field))
  switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return QUIRE_VALUE(Int32);
    case FieldDescriptor::CPPTYPE_INT64:
      return QUIRE_VALUE(Int64);
    case FieldDescriptor::CPPTYPE_UINT32:
      return QUIRE_VALUE(UInt32);
    case FieldDescriptor::CPPTYPE_UINT64:
      return QUIRE_VALUE(UInt64);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return QUIRE_VALUE(Double);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return ShortestDecimal(QUIRE_VALUE(Float));
    case FieldDescriptor::CPPTYPE_BOOL:
      return QUIRE_VALUE(Bool);
    case FieldDescriptor::CPPTYPE_ENUM:
      return QUIRE_VALUE(Enum)->name();
    case FieldDescriptor::CPPTYPE_STRING:
      return StringToJson(*field, QUIRE_VALUE(String));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      QUIRE_CHECK(!field->is_map());
      return MessageToJson(QUIRE_VALUE(Message));
  }
#undef QUIRE_VALUE
  return nullptr;
}

Json FieldToJson(const Message& message, const FieldDescriptor* field) {
  if (!field->is_repeated()) return ValueToJson(message, field, /*index=*/0);
  Json list = Json::array();
  const int size = message.GetReflection()->FieldSize(message, field);
  for (int i = 0; i < size; ++i) list.push_back(ValueToJson(message, field, i));
  return list;
}

}  // namespace

Json MessageToJson(const Message& message) {
  Json object = Json::object();
  const google::protobuf::Descriptor& descriptor = *message.GetDescriptor();
  for (int i = 0; i < descriptor.field_count(); ++i) {
    const FieldDescriptor* field = descriptor.field(i);
    object[field->name()] = FieldToJson(message, field);
  }
  return object;
}

double ShortestDecimal(float value) {
  char digits[32];
  const auto [end, written] = std::to_chars(digits, digits + 32, value);
  double shortest = value;
  std::from_chars(digits, end, shortest);
  return shortest;
}

std::string ToLine(const Json& json) {
  return json.dump(/*indent=*/-1, /*indent_char=*/' ', /*ensure_ascii=*/false,
                   Json::error_handler_t::replace);
}

}  // namespace quire
