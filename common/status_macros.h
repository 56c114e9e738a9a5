#ifndef QUIRE_COMMON_STATUS_MACROS_H_
#define QUIRE_COMMON_STATUS_MACROS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// The two macros of abseil's later releases, under names of our own so that
// they can be replaced by those.

// Returns from the function where `expr` is not ok.
#define QUIRE_RETURN_IF_ERROR(expr)                             \
  do {                                                          \
    if (absl::Status quire_status = (expr); !quire_status.ok()) \
      return quire_status;                                      \
  } while (false)

// QUIRE_ASSIGN_OR_RETURN(auto x, F()): x = the value, or returns the status.
#define QUIRE_ASSIGN_OR_RETURN(lhs, expr) \
  QUIRE_ASSIGN_OR_RETURN_(QUIRE_CONCAT_(quire_statusor_, __LINE__), lhs, expr)
#define QUIRE_CONCAT_INNER_(a, b) a##b
#define QUIRE_CONCAT_(a, b) QUIRE_CONCAT_INNER_(a, b)
#define QUIRE_ASSIGN_OR_RETURN_(tmp, lhs, expr) \
  auto tmp = (expr);                            \
  if (!tmp.ok()) return tmp.status();           \
  lhs = *std::move(tmp)

#endif  // QUIRE_COMMON_STATUS_MACROS_H_
