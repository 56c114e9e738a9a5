#ifndef QUIRE_CLIENT_MESSAGE_JSON_H_
#define QUIRE_CLIENT_MESSAGE_JSON_H_

#include <string>

#include "google/protobuf/message.h"
#include "nlohmann/json.hpp"

namespace quire {

// The message as JSON, every field under its name in the .proto: absent ones
// with their default, 64-bit numbers as numbers, enums by name, bytes as a list
// of numbers. Maps are not used in what servers answer and are refused.
nlohmann::ordered_json MessageToJson(const google::protobuf::Message& message);

// The double of the float's shortest decimal form: 0.1f becomes 0.1, and reads
// back as the same float.
double ShortestDecimal(float value);

// One line, without the line's end.
std::string ToLine(const nlohmann::ordered_json& json);

}  // namespace quire

#endif  // QUIRE_CLIENT_MESSAGE_JSON_H_
