#include "client/server_address.h"

#include <arpa/inet.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace quire {
namespace {

constexpr size_t kMaxSocketPath = 107;  // The kernel's own limit.

bool IsNamePart(char c) {
  return absl::ascii_isalnum(c) || c == '.' || c == '-' || c == '_';
}

bool IsName(absl::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), IsNamePart);
}

bool IsInterface(const std::string& scope) {
  uint32_t index = 0;
  return absl::SimpleAtoi(scope, &index) || if_nametoindex(scope.c_str()) != 0;
}

// An interface may follow the address: fe80::1%eth0.
bool IsIpv6(absl::string_view host) {
  const std::vector<std::string> parts =
      absl::StrSplit(host, absl::MaxSplits('%', 1));
  in6_addr address;
  return inet_pton(AF_INET6, parts[0].c_str(), &address) == 1 &&
         (parts.size() == 1 || IsInterface(parts[1]));
}

bool IsHost(absl::string_view host) {
  if (!absl::ConsumePrefix(&host, "[")) return IsName(host);
  return absl::ConsumeSuffix(&host, "]") && IsIpv6(host);
}

bool IsPort(absl::string_view text) {
  uint32_t port = 0;
  return absl::SimpleAtoi(text, &port) && port >= 1 && port <= UINT16_MAX;
}

bool IsAddress(absl::string_view text) {
  if (absl::ConsumePrefix(&text, "unix:")) {
    return !text.empty() && text.size() <= kMaxSocketPath;
  }
  const size_t colon = text.rfind(':');
  return colon != absl::string_view::npos && IsHost(text.substr(0, colon)) &&
         IsPort(text.substr(colon + 1));
}

}  // namespace

bool AbslParseFlag(absl::string_view text, ServerAddress* address,
                   std::string* error) {
  if (!IsAddress(text)) {
    *error = "must be HOST:PORT, [HOST]:PORT or unix:PATH of at most 107 bytes";
    return false;
  }
  address->text = std::string(text);
  return true;
}

std::string AbslUnparseFlag(const ServerAddress& address) {
  return address.text;
}

}  // namespace quire
