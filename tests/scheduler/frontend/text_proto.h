#ifndef QUIRE_TESTS_SCHEDULER_FRONTEND_TEXT_PROTO_H_
#define QUIRE_TESTS_SCHEDULER_FRONTEND_TEXT_PROTO_H_

#include <string>

#include "common/check.h"
#include "google/protobuf/text_format.h"

namespace quire::testing {

// A message from its text form: FromText<v1::GenerateRequest>("text: 'Hi' n:
// 1").
template <typename Message>
Message FromText(const std::string& text) {
  Message message;
  QUIRE_CHECK(google::protobuf::TextFormat::ParseFromString(text, &message));
  return message;
}

// One line, fields in order of their numbers.
inline std::string ToText(const google::protobuf::Message& message) {
  std::string text;
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  printer.PrintToString(message, &text);
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

}  // namespace quire::testing

#endif  // QUIRE_TESTS_SCHEDULER_FRONTEND_TEXT_PROTO_H_
