#ifndef QUIRE_WORKER_COMM_SOCKET_STORE_H_
#define QUIRE_WORKER_COMM_SOCKET_STORE_H_

#include <gloo/rendezvous/store.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "common/ids.h"
#include "worker/comm/rank_socket.h"

namespace quire {

// What Gloo's ranks tell one another of their addresses goes over the sockets
// by which they met. All set as many entries, in the same order, and each time
// all are told what all have set. Failures are exceptions, as Gloo wants them.
class SocketStore final : public gloo::rendezvous::Store {
 public:
  // sockets: by rank; ranks other than 0 have rank 0's alone.
  SocketStore(Rank rank, int num_ranks, std::vector<RankSocket> sockets,
              SteadyTime deadline)
      : rank_(rank),
        num_ranks_(num_ranks),
        sockets_(std::move(sockets)),
        deadline_(deadline) {}

  void set(const std::string& key, const std::vector<char>& data) override;
  std::vector<char> get(const std::string& key) override;
  // Whatever is set by all is there.
  void wait(const std::vector<std::string>&) override {}
  void wait(const std::vector<std::string>&,
            const std::chrono::milliseconds&) override {}

 private:
  struct Entry {
    std::vector<char> key;
    std::vector<char> data;
  };

  absl::Status Send(RankSocket& socket, const Entry& entry) const;
  absl::Status Receive(RankSocket& socket);
  // Of rank 0: entries from `first` on are those of this time.
  absl::Status GatherAndTellAll(size_t first);
  // Of the others.
  absl::Status TellAndBeTold();

  const Rank rank_;
  const int num_ranks_;
  std::vector<RankSocket> sockets_;
  const SteadyTime deadline_;
  std::vector<Entry> entries_;
};

}  // namespace quire

#endif  // QUIRE_WORKER_COMM_SOCKET_STORE_H_
