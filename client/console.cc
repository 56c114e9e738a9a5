#include "client/console.h"

namespace quire {

absl::Status FlushOutput(Console& console) {
  console.out.flush();
  if (console.out.good()) return absl::OkStatus();
  return absl::DataLossError("standard output cannot be written");
}

}  // namespace quire
