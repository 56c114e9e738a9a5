#ifndef QUIRE_CLIENT_REQUEST_STATE_TEXT_H_
#define QUIRE_CLIENT_REQUEST_STATE_TEXT_H_

#include <string>

#include "quire/v1/quire.pb.h"

namespace quire {

// Whether the request runs, and its priority where that is not normal:
// "running", "waiting low". At most 12 characters for what this client knows.
std::string StateText(const v1::RequestStatus& request);

}  // namespace quire

#endif  // QUIRE_CLIENT_REQUEST_STATE_TEXT_H_
