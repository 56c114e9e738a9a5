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
    const std::function<void(const quire::v1::GenerateResponse&)>& deliver) {
  quire::v1::GenerateResponse response;
  while (reader_->Read(&response)) deliver(response);
  return server_.ToStatus(reader_->Finish(), context_);
}

}  // namespace quire
