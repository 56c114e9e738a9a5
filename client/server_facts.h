#ifndef QUIRE_CLIENT_SERVER_FACTS_H_
#define QUIRE_CLIENT_SERVER_FACTS_H_

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/server_connection.h"
#include "quire/v1/quire.pb.h"

namespace quire {

// What a server says about itself: what it serves and how busy it is.
struct ServerFacts {
  quire::v1::GetModelResponse model;
  quire::v1::StatusResponse status;
};

// Asks the server; each of the two calls may take `limit`.
absl::StatusOr<ServerFacts> AskServer(const ServerConnection& server,
                                      absl::Duration limit);

}  // namespace quire

#endif  // QUIRE_CLIENT_SERVER_FACTS_H_
