#ifndef QUIRE_CLIENT_LIST_FLAGS_H_
#define QUIRE_CLIENT_LIST_FLAGS_H_

#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "common/ids.h"

namespace quire {

// Flags whose value is a list, parsed and printed the way abseil's flags ask
// for.

// 1,2,3
struct TokenIdList {
  std::vector<Token> ids;
};
bool AbslParseFlag(absl::string_view text, TokenIdList* list,
                   std::string* error);
std::string AbslUnparseFlag(const TokenIdList& list);

// ID:VALUE,ID:VALUE
struct LogitBiasList {
  std::map<Token, float> bias;
};
bool AbslParseFlag(absl::string_view text, LogitBiasList* list,
                   std::string* error);
std::string AbslUnparseFlag(const LogitBiasList& list);

}  // namespace quire

#endif  // QUIRE_CLIENT_LIST_FLAGS_H_
