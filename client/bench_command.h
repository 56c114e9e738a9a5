#ifndef QUIRE_CLIENT_BENCH_COMMAND_H_
#define QUIRE_CLIENT_BENCH_COMMAND_H_

#include "client/command.h"

namespace quire {

// `quire bench WORKLOAD.jsonl`: plays a workload and prints its figures.
Command BenchCommand();

}  // namespace quire

#endif  // QUIRE_CLIENT_BENCH_COMMAND_H_
