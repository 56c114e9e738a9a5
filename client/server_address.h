#ifndef QUIRE_CLIENT_SERVER_ADDRESS_H_
#define QUIRE_CLIENT_SERVER_ADDRESS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace quire {

// Where a server is: HOST:PORT, [HOST]:PORT for an IPv6 address, or unix:PATH.
// The type of a flag, parsed and printed the way abseil's flags ask for.
struct ServerAddress {
  std::string text;
};
bool AbslParseFlag(absl::string_view text, ServerAddress* address,
                   std::string* error);
std::string AbslUnparseFlag(const ServerAddress& address);

}  // namespace quire

#endif  // QUIRE_CLIENT_SERVER_ADDRESS_H_
