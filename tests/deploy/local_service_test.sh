#!/bin/bash
# The scripts of deploy/local, with fakes in the place of Bazel, of what it builds,
# and of what comes from elsewhere.
# Functions are called by name.
# shellcheck disable=SC2120,SC2317
set -uo pipefail

# A copy, so that some of the scripts can be replaced.
readonly repository="$TEST_TMPDIR/repository"
readonly local="$repository/deploy/local"
mkdir -p "$local" "$repository/tests"
cp -L deploy/local/* "$local"
cp -L tests/run "$repository/tests"
export QUIRE_STATE="$TEST_TMPDIR/state" QUIRE_UP_TIMEOUT=20 QUIRE_DOWN_TIMEOUT=20
readonly model="$TEST_TMPDIR/model.gguf"
touch "$model"

# A Bazel that has built fakes.
make_fakes() {
  local bin="$TEST_TMPDIR/bin"
  mkdir -p "$bin/scheduler" "$bin/worker" "$bin/client"
  cp tests/deploy/fake_process.py "$bin/scheduler/quire-scheduler"
  cp tests/deploy/fake_process.py "$bin/worker/quire-worker"
  # shellcheck disable=SC2016
  printf '#!/bin/bash\necho "client: $*"\n' >"$bin/client/quire"
  printf '#!/bin/bash\n' >"$local/install_packages"
  printf '#!/bin/bash\necho %q\n' "$model" >"$local/fetch_model"
  chmod +x "$bin"/*/*
  export BAZEL="$TEST_TMPDIR/bazel"
  # shellcheck disable=SC2016
  printf '#!/bin/bash\necho "$1" >>%q; [[ "$1" == info ]] && echo %q; exit 0\n' \
    "$TEST_TMPDIR/bazel_calls" "$bin" >"$BAZEL"
  chmod +x "$BAZEL"
}

# The first of three ports in a row that nobody uses.
free_port() {
  python3 - <<'PYTHON'
import socket
for first in range(20000, 60000, 3):
    try:
        for port in range(first, first + 3):
            socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        continue
    print(first)
    break
PYTHON
}

failures=0
expect() {
  local what="$1"
  shift
  "$@" || {
    echo "FAILED: $test: $what"
    failures=$((failures + 1))
  }
}
refused() { test "$("$@" >"$TEST_TMPDIR/out" 2>&1 || echo $?)" = 2; }
quickstart() { "$local/quickstart" --port "$port" "$@" >"$TEST_TMPDIR/out" 2>&1; }
# Ends a process of the service at once.
kill_off() {
  local pid
  pid="$(pid_of "$1")"
  kill -KILL "$pid"
  while lives "$pid"; do :; done
}
up() { "$local/up" --model "$model" --port "$port" "$@" >"$TEST_TMPDIR/out" 2>&1; }
down() { "$local/down" >"$TEST_TMPDIR/out" 2>&1; }
says() { grep -qF -- "$1" "$TEST_TMPDIR/out"; }
pid_of() { cut -d' ' -f1 "$QUIRE_STATE/$1.pid"; }
# Zombies do not.
lives() { grep -q '^State:.[^Z]' "/proc/$1/status" 2>/dev/null; }
dead() { ! lives "$1"; }

test_starts_both_and_says_how_to_talk_to_them() {
  expect "up succeeds" up
  expect "the guide" says "Quire is up on 127.0.0.1:$port with model.gguf"
  expect "a scheduler" lives "$(pid_of scheduler)"
  expect "a worker" lives "$(pid_of worker)"
}

test_several_workers_are_told_their_ranks() {
  expect "up succeeds" up --workers 3
  local rank
  for rank in 0 1 2; do
    expect "worker $rank" lives "$(pid_of "worker.$rank")"
    expect "its rank" grep -qzx -- "--rank=$rank" "/proc/$(pid_of "worker.$rank")/cmdline"
    expect "its group" grep -qzx -- --world_size=3 "/proc/$(pid_of "worker.$rank")/cmdline"
  done
  expect "the scheduler's" grep -qzx -- --world_size=3 "/proc/$(pid_of scheduler)/cmdline"
  expect "another number" test "$(up --workers 2; echo $?)" = 1
  expect "the command" says "--workers=3"
}

test_up_starts_the_one_of_several_workers_that_is_lost() {
  expect "up succeeds" up --workers=3
  local other lost
  other="$(pid_of worker.0)" lost="$(pid_of worker.1)"
  kill_off worker.1
  expect "up succeeds again" up --workers=3
  expect "the same worker" test "$(pid_of worker.0)" = "$other"
  expect "a new one" test "$(pid_of worker.1)" != "$lost"
}

test_down_stops_all_workers() {
  expect "up succeeds" up --workers 2
  local zero one
  zero="$(pid_of worker.0)" one="$(pid_of worker.1)"
  expect "down succeeds" down
  expect "no worker" dead "$zero"
  expect "no other" dead "$one"
  expect "up with one worker succeeds" up
  expect "that" lives "$(pid_of worker)"
}

test_a_second_up_changes_nothing() {
  expect "up succeeds" up
  local before
  before="$(pid_of scheduler) $(pid_of worker)"
  expect "up again succeeds" up
  expect "the same processes" test "$before" = "$(pid_of scheduler) $(pid_of worker)"
}

test_another_service_is_refused_while_one_is_up() {
  expect "up succeeds" up
  expect "other flags" test "$(up -- --block_size=32; echo $?)" = 1
  expect "the reason" says "another service is up"
}

# Streams wait at the scheduler for the worker.
test_another_service_is_refused_while_one_waits_for_its_worker() {
  expect "up succeeds" up --worker_flags "--threads=1 --compute=f32" -- --block_size=32
  local scheduler command
  scheduler="$(pid_of scheduler)"
  kill_off worker
  expect "fewer flags" test "$(up; echo $?)" = 1
  expect "the scheduler goes on" lives "$scheduler"
  command="$(grep -o 'deploy/local/up --model.* -- --block_size=32' "$TEST_TMPDIR/out")"
  expect "the command that is named succeeds" \
    eval "(cd '$repository' && $command) >'$TEST_TMPDIR/out' 2>&1"
  expect "the same scheduler" test "$(pid_of scheduler)" = "$scheduler"
  expect "a worker" lives "$(pid_of worker)"
  expect "its flags" grep -qzx -- --compute=f32 "/proc/$(pid_of worker)/cmdline"
}

test_flags_reach_their_process() {
  expect "up succeeds" up --worker_flags "--threads=1 --compute=f32" -- --block_size=32
  expect "worker" grep -qzx -- --compute=f32 "/proc/$(pid_of worker)/cmdline"
  expect "scheduler" grep -qzx -- --block_size=32 "/proc/$(pid_of scheduler)/cmdline"
}

test_a_process_that_fails_is_told_with_its_last_words() {
  expect "up fails" test "$(up --worker_flags --fail; echo $?)" = 1
  expect "its words" says "the roof is on fire"
  expect "its name" says "quire-worker ended by itself"
  expect "nothing is left" test ! -e "$QUIRE_STATE/scheduler.pid"
}

test_a_taken_port_is_named() {
  expect "up succeeds" up
  expect "a second one fails" \
    test "$(QUIRE_STATE="$TEST_TMPDIR/other" up; echo $?)" = 1
  # The fakes listen on the admin port alone.
  expect "the reason" says "127.0.0.1:$((port + 2)) is taken by another process"
}

test_says_and_uses_the_addresses_that_the_flags_name() {
  expect "up succeeds" up -- "--listen=0.0.0.0:$port" --listen "127.0.0.2:$port" \
    "--worker_listen=0.0.0.0:$((port + 1))" "--admin_listen=127.0.0.2:$((port + 2))"
  expect "the API's, of which the last counts" says "Quire is up on 127.0.0.2:$port"
  expect "the client's" says "--server=127.0.0.2:$port"
  expect "the metrics'" says "http://127.0.0.2:$((port + 2))/metrics"
  expect "the worker's" grep -qzx -- "--scheduler=127.0.0.1:$((port + 1))" \
    "/proc/$(pid_of worker)/cmdline"
}

test_a_service_that_is_open_to_all_is_dialled_here() {
  expect "up succeeds" up -- "--listen=0.0.0.0:$port"
  expect "the word" says "Quire is up on 0.0.0.0:$port"
  expect "the client's address" says "--server=127.0.0.1:$port"
}

test_down_stops_both() {
  expect "up succeeds" up
  local scheduler worker
  scheduler="$(pid_of scheduler)" worker="$(pid_of worker)"
  expect "down succeeds" down
  expect "no scheduler" dead "$scheduler"
  expect "no worker" dead "$worker"
}

test_down_kills_what_does_not_end() {
  expect "up succeeds" up -- --stubborn
  local scheduler
  scheduler="$(pid_of scheduler)"
  QUIRE_DOWN_TIMEOUT=1 expect "down succeeds" down
  expect "the word" says "quire-scheduler did not end within 1 s"
  expect "no scheduler" dead "$scheduler"
}

test_down_is_harmless_where_nothing_is_up() {
  expect "down succeeds" down
  expect "the word" says "Quire is not up"
}

# The id of a process that ended may be another's by now.
test_down_leaves_other_processes_alone() {
  sleep 1000 &
  local stranger=$!
  mkdir -p "$QUIRE_STATE"
  echo "$stranger 12345" >"$QUIRE_STATE/scheduler.pid"
  expect "down succeeds" down
  expect "the stranger lives" lives "$stranger"
  expect "up succeeds" up
  expect "the stranger still lives" lives "$stranger"
  kill "$stranger"
}

test_up_starts_a_lost_worker_and_leaves_the_scheduler_alone() {
  expect "up succeeds" up
  local scheduler worker
  scheduler="$(pid_of scheduler)" worker="$(pid_of worker)"
  kill_off worker
  expect "up succeeds again" up
  expect "the same scheduler" test "$(pid_of scheduler)" = "$scheduler"
  expect "which lives" lives "$scheduler"
  expect "a new worker" test "$(pid_of worker)" != "$worker"
  expect "the log of the one before" test -s "$QUIRE_STATE/worker.log.old"
  expect "one log of the scheduler" test ! -e "$QUIRE_STATE/scheduler.log.old"
}

test_up_with_other_flags_starts_both_anew_where_the_scheduler_is_lost() {
  expect "up succeeds" up
  local worker
  worker="$(pid_of worker)"
  kill_off scheduler
  expect "up succeeds again" up -- --block_size=32
  expect "the worker ended" dead "$worker"
  expect "the flag" grep -qzx -- --block_size=32 "/proc/$(pid_of scheduler)/cmdline"
}

test_up_starts_both_anew_where_the_scheduler_is_lost() {
  expect "up succeeds" up
  local worker
  worker="$(pid_of worker)"
  kill_off scheduler
  expect "up succeeds again" up
  expect "the worker ended" dead "$worker"
  expect "a scheduler" lives "$(pid_of scheduler)"
}

# Another worker, started by hand, has the place: the scheduler is ready all the
# same.
test_a_worker_that_is_refused_is_no_success() {
  expect "up succeeds" up
  kill_off worker
  expect "up fails" test "$(LINK="refused by" up; echo $?)" = 1
  expect "the reason" says "quire-worker is refused by the scheduler"
  expect "the scheduler goes on" lives "$(pid_of scheduler)"
  expect "no worker is left" test ! -e "$QUIRE_STATE/worker.pid"
}

test_a_worker_that_cannot_serve_is_not_waited_for() {
  expect "up fails" test "$(LINK="this worker left" up; echo $?)" = 1
  expect "the reason" says "quire-worker cannot serve the scheduler"
  expect "nothing is left" test ! -e "$QUIRE_STATE/scheduler.pid"
}

test_quickstart_sends_its_words_as_one_prompt() {
  expect "quickstart succeeds" quickstart Hi there -- --really
  expect "its echo" says "> Hi there --really"
  expect "the client" says "--server=127.0.0.1:$port --chat"
  expect "the prompt" says "-- Hi there --really"
}

test_quickstart_looks_at_the_ports_before_it_builds() {
  expect "up succeeds" up
  rm "$TEST_TMPDIR/bazel_calls"
  expect "a second service fails" \
    test "$(QUIRE_STATE="$TEST_TMPDIR/other" quickstart Hi; echo $?)" = 1
  expect "the reason" says "--port=PORT or QUIRE_PORT chooses others"
  expect "nothing is built" test ! -e "$TEST_TMPDIR/bazel_calls"
}

test_help_changes_nothing() {
  expect "up succeeds" up
  local script flag
  for script in up down quickstart fetch_model install_packages; do
    for flag in -h --help; do
      "deploy/local/$script" "$flag" >"$TEST_TMPDIR/out" 2>&1
      expect "$script $flag succeeds" test $? = 0
      expect "$script $flag tells" says "$script"
    done
    expect "$script refuses a flag" refused "deploy/local/$script" --prot
    expect "$script names it" says "there is no flag --prot; see deploy/local/$script --help"
  done
  expect "the service goes on" lives "$(pid_of scheduler)"
}

test_the_run_of_the_tests_has_help_and_refuses_words() {
  rm -f "$TEST_TMPDIR/bazel_calls"
  "$repository/tests/run" --help >"$TEST_TMPDIR/out" 2>&1
  expect "help succeeds" test $? = 0
  expect "help tells" says "tests/run"
  expect "a flag" refused "$repository/tests/run" --hepl
  expect "a word" refused "$repository/tests/run" //tests/deploy/...
  expect "nothing is built" test ! -e "$TEST_TMPDIR/bazel_calls"
}

test_wrong_words_are_refused() {
  expect "a port" refused "$local/up" --port 99999
  expect "a port that nobody knows" refused "$local/up" -- --listen=127.0.0.1:0
  expect "no workers" refused "$local/up" --workers 0
  expect "a number of workers" refused "$local/up" --workers many
  expect "a port of quickstart" refused "$local/quickstart" --port 0
  expect "a word" refused "$local/up" model.gguf
  expect "a word to down" refused "$local/down" now
  expect "packages" refused deploy/local/install_packages everything
  expect "a model" test "$("$local/up" --model /no/such 2>/dev/null; echo $?)" = 1
}

make_fakes
for test in $(compgen -A function test_); do
  port="$(free_port)"
  "$test"
  down
  rm -rf "$QUIRE_STATE"
done
exit "$((failures > 0))"
