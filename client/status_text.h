#ifndef QUIRE_CLIENT_STATUS_TEXT_H_
#define QUIRE_CLIENT_STATUS_TEXT_H_

#include <string>

#include "client/server_facts.h"

namespace quire {

// What `quire status` shows: a table of the server's facts, its workers and its
// requests.
std::string StatusText(const ServerFacts& facts);

}  // namespace quire

#endif  // QUIRE_CLIENT_STATUS_TEXT_H_
