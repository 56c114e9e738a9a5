#include "client/generation_stream.h"

namespace quire {

GenerationStream::GenerationStream(const ServerConnection& server,
                                   const quire::v1::GenerateRequest& request,
                                   absl::Duration limit)
    : server_(server) {
  LimitCall(context_, limit);
  reader_ = server.stub().Generate(&context_, request);
}

absl::Status GenerationStream::ForEach(
    const std::function<absl::Status(const quire::v1::GenerateResponse&)>&
        deliver) {
  quire::v1::GenerateResponse response;
  absl::Status delivered;
  while (reader_->Read(&response)) {
    if (!delivered.ok()) continue;
    delivered = deliver(response);
    if (!delivered.ok()) Cancel();
  }
  const grpc::Status status = reader_->Finish();
  return delivered.ok() ? server_.ToStatus(status, context_) : delivered;
}

}  // namespace quire
