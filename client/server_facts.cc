#include "client/server_facts.h"

#include "common/status_macros.h"
#include "grpcpp/client_context.h"

namespace quire {
namespace {

absl::Status AskModel(const ServerConnection& server, absl::Duration limit,
                      quire::v1::GetModelResponse& model) {
  grpc::ClientContext context;
  LimitCall(context, limit);
  return server.ToStatus(server.stub().GetModel(&context, {}, &model), context);
}

absl::Status AskStatus(const ServerConnection& server, absl::Duration limit,
                       quire::v1::StatusResponse& status) {
  grpc::ClientContext context;
  LimitCall(context, limit);
  return server.ToStatus(server.stub().Status(&context, {}, &status), context);
}

}  // namespace

absl::StatusOr<ServerFacts> AskServer(const ServerConnection& server,
                                      absl::Duration limit) {
  ServerFacts facts;
  QUIRE_RETURN_IF_ERROR(AskModel(server, limit, facts.model));
  QUIRE_RETURN_IF_ERROR(AskStatus(server, limit, facts.status));
  return facts;
}

}  // namespace quire
