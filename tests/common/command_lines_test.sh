#!/bin/bash
# What the programs do with --help, with a command line that is wrong, and with
# a standard output that takes nothing.
set -uo pipefail

readonly client="$1" scheduler="$2" worker="$3"
outcome=0

fail() {
  echo "$*"
  outcome=1
}

# Runs a command; its exit code and what it writes are then in $code, $out, $err.
run() {
  out="$("$@" 2>"$TEST_TMPDIR/err")"
  code=$?
  err="$(<"$TEST_TMPDIR/err")"
}

# lists TEXT COMMAND...: the command succeeds and writes a line TEXT.
lists() {
  local text="$1"
  shift
  run "$@"
  [[ "$code" == 0 && -z "$err" ]] || fail "exit code $code, \"$err\": $*"
  grep -qxF -e "$text" <<<"$out" || fail "no line \"$text\": $*"
}

# refuses TEXT COMMAND...: the command line is wrong, which is all it says.
refuses() {
  local text="$1"
  shift
  run "$@"
  [[ "$code" == 2 && -z "$out" ]] || fail "exit code $code, \"$out\": $*"
  [[ "$err" == "$text" ]] || fail "\"$err\" instead of \"$text\": $*"
}

lists '  --server=127.0.0.1:8300' "$client" status --help
QUIRE_PORT=9300 lists '  --server=127.0.0.1:9300' "$client" status --help
lists '  --block_size=16' "$scheduler" --help
lists '  --shuffle_free_blocks_seed=0' "$scheduler" -h
lists '  --scheduler=127.0.0.1:8301' "$worker" --help
for program in "$scheduler" "$worker"; do
  "$program" --help | grep -q flagfile && fail "foreign flags: $program"
done

refuses 'quire: there is no flag --x; see quire status --help' \
  "$client" status --x
refuses 'quire-scheduler: there is no flag --x; see quire-scheduler --help' \
  "$scheduler" --x=1
refuses 'quire-scheduler: --block_size cannot be "-1", it must be a whole number, 0 to 4294967295; see quire-scheduler --help' \
  "$scheduler" --block_size=-1
refuses 'quire-scheduler: "x.gguf" is no flag; see quire-scheduler --help' \
  "$scheduler" --model=y x.gguf
refuses 'quire-worker: "x.gguf" is no flag; see quire-worker --help' \
  "$worker" x.gguf

# The variable only counts where --server is not given.
QUIRE_PORT=http refuses 'quire: the variable QUIRE_PORT is "http", must be a port, 1 to 65535; see quire status --help' \
  "$client" status
QUIRE_PORT=http refuses 'quire: --server cannot be "x", must be HOST:PORT, [HOST]:PORT or unix:PATH of at most 107 bytes; see quire status --help' \
  "$client" status --server=x
QUIRE_PORT=http run "$client" status --server=unix:none
[[ "$code" == 1 && "$err" == *'cannot connect'* ]] || fail "exit code $code, \"$err\""

for program in "$client" "$scheduler" "$worker"; do
  "$program" --help >/dev/full 2>"$TEST_TMPDIR/err"
  code=$?
  [[ "$code" == 1 ]] || fail "exit code $code on a full disk: $program"
  grep -q 'standard output cannot be written' "$TEST_TMPDIR/err" ||
    fail "says nothing of a full disk: $program"
done
exit "$outcome"
