#ifndef QUIRE_CLIENT_SERVER_CONNECTION_H_
#define QUIRE_CLIENT_SERVER_CONNECTION_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "grpcpp/client_context.h"
#include "grpcpp/support/status.h"
#include "quire/v1/quire.grpc.pb.h"

namespace quire {

// One channel to a Quire server. It is dialled with the first call.
// Thread-safe.
class ServerConnection {
 public:
  // `address` is HOST:PORT or unix:PATH.
  explicit ServerConnection(std::string address);

  quire::v1::Quire::Stub& stub() const { return *stub_; }
  const std::string& address() const { return address_; }

  // How a call ended, in words for the user: who answered, or that nobody did,
  // the code by name, the server's message and its hint when to try again.
  absl::Status ToStatus(const grpc::Status& status,
                        const grpc::ClientContext& context) const;

 private:
  std::string address_;
  std::unique_ptr<quire::v1::Quire::Stub> stub_;
};

// Ends the call after `limit`; an infinite limit is none.
void LimitCall(grpc::ClientContext& context, absl::Duration limit);

}  // namespace quire

#endif  // QUIRE_CLIENT_SERVER_CONNECTION_H_
