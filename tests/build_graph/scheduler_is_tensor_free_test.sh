#!/bin/bash
# The scheduler is built from nothing that computes with tensors, and links no
# such library, nor does any library that it links.
set -uo pipefail

readonly dependencies="$1" scheduler="$2" worker="$3"
readonly libraries='blas|lapack|mkl|dnnl|onednn|eigen|torch|cuda|cudart|cublas|nccl|gloo|gomp'

targets_with_tensors() {
  grep -E "^//(kernels|worker)[/:]|^@[^/]*//[^:]*:.*($libraries)"
}
# Of a binary, what it loads, directly or not.
loaded_libraries() {
  ldd "$1" | awk '{ print $1 }'
}
fail() {
  echo "$*"
  outcome=1
}

outcome=0
# The check itself finds what it is there to find.
for target in //kernels:matmul //worker/model:model @system//:dnnl; do
  targets_with_tensors <<<"$target" >/dev/null || fail "does not see $target"
done
grep -qE "$libraries" <<<libopenblas.so.0 || fail "does not see libopenblas"
loaded_libraries "$worker" | grep -q libstdc++ || fail "does not see libraries"

grep -qx //scheduler:quire-scheduler "$dependencies" || fail "no dependencies"
targets_with_tensors <"$dependencies" && fail "the scheduler is built from these"
loaded_libraries "$scheduler" | grep -E "$libraries" &&
  fail "the scheduler loads these"
exit "$outcome"
