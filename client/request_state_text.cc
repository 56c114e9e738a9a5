#include "client/request_state_text.h"

#include "absl/strings/str_cat.h"
#include "client/enum_flags.h"

namespace quire {

std::string StateText(const v1::RequestStatus& request) {
  const char* const state = request.running() ? "running" : "waiting";
  const bool is_usual = request.priority() == v1::PRIORITY_UNSPECIFIED ||
                        request.priority() == v1::PRIORITY_NORMAL;
  if (is_usual) return state;
  return absl::StrCat(state, " ", AbslUnparseFlag(request.priority()));
}

}  // namespace quire
