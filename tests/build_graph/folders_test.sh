#!/bin/bash
# The folders depend one way: proto <- common <- {scheduler, kernels <- worker},
# and client on common, proto and scheduler/sim alone.
set -uo pipefail

readonly edges="$1"
check() {
  awk -f tests/build_graph/check_folders.awk "$@"
}
expect() {
  local wanted="$1" edge="$2" code=0
  check <<<"$edge" >/dev/null || code=$?
  [[ "$code" == "$wanted" ]] || {
    echo "exit code $code instead of $wanted for: $edge"
    outcome=1
  }
}

outcome=0
# The check itself finds what it is there to find.
expect 0 '  "//worker/model:decoder" -> "//kernels:matmul"'
expect 0 '  "//common/modelfile:gguf_file" -> "//common:check"'
expect 0 '  "//client:top" -> "//scheduler/sim:clock"'
expect 1 '  "//scheduler/engine:engine" -> "//kernels:matmul"'
expect 1 '  "//kernels/cpu:matmul" -> "//worker/model:model"'
expect 1 '  "//common:strings" -> "//scheduler/engine:engine"'
expect 1 '  "//client:top" -> "//scheduler/simple:clock"'
expect 1 '  "//worker:main" -> "//tests/testing:fake"'
expect 1 '  "//common:strings" -> "//:library"'
expect 1 '  "//elsewhere:x" -> "//common:check"'
expect 2 '  "//client:top" -> "@system//:absl"'

for binary in //client:quire //scheduler:quire-scheduler //worker:quire-worker; do
  grep -qF "\"$binary\" -> " "$edges" || {
    echo "no edges of $binary"
    outcome=1
  }
done
check "$edges" || outcome=1
exit "$outcome"
