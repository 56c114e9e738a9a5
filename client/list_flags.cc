#include "client/list_flags.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace quire {
namespace {

bool Refuse(absl::string_view item, absl::string_view wanted,
            std::string* error) {
  *error = absl::StrCat("\"", item, "\" is not ", wanted);
  return false;
}

}  // namespace

bool AbslParseFlag(absl::string_view text, TokenIdList* list,
                   std::string* error) {
  list->ids.clear();
  for (absl::string_view item : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    Token id = 0;
    if (!absl::SimpleAtoi(item, &id)) return Refuse(item, "a token id", error);
    list->ids.push_back(id);
  }
  return true;
}

std::string AbslUnparseFlag(const TokenIdList& list) {
  return absl::StrJoin(list.ids, ",");
}

bool AbslParseFlag(absl::string_view text, LogitBiasList* list,
                   std::string* error) {
  list->bias.clear();
  for (absl::string_view item : absl::StrSplit(text, ',', absl::SkipEmpty())) {
    const std::pair<absl::string_view, absl::string_view> parts =
        absl::StrSplit(item, absl::MaxSplits(':', 1));
    Token id = 0;
    float value = 0;
    if (!absl::SimpleAtoi(parts.first, &id) ||
        !absl::SimpleAtof(parts.second, &value)) {
      return Refuse(item, "ID:VALUE", error);
    }
    list->bias[id] = value;
  }
  return true;
}

std::string AbslUnparseFlag(const LogitBiasList& list) {
  return absl::StrJoin(list.bias, ",", absl::PairFormatter(":"));
}

}  // namespace quire
