# shellcheck shell=bash disable=SC2154
# Starting, finding and stopping the processes of a local service. To be sourced
# after settings.sh.
#
# $state/NAME.pid holds a process id and the time the process started, so that
# another process that got the same id later is never taken for ours.

# When a process started, in ticks since boot; nothing where there is none.
start_time() {
  local stat
  stat="$(cat "/proc/$1/stat" 2>/dev/null)" || return 0
  # Behind the name, which is in brackets and may hold anything.
  awk '{ if ($1 != "Z") print $20 }' <<<"${stat##*) }"
}

# The process id of NAME, or nothing where it does not run.
running() {
  local pid started
  read -r pid started 2>/dev/null <"$state/$1.pid" || return 0
  [[ -n "$started" && "$(start_time "$pid")" == "$started" ]] || return 0
  echo "$pid"
}

# start NAME COMMAND...: starts the command on its own, with its output in
# $state/NAME.log; that of the process before goes to $state/NAME.log.old.
start() {
  local name="$1"
  shift
  [[ ! -e "$state/$name.log" ]] || mv "$state/$name.log" "$state/$name.log.old"
  setsid "$@" >"$state/$name.log" 2>&1 </dev/null &
  echo "$! $(start_time $!)" >"$state/$name.pid"
}

# stop NAME SECONDS: asks the process to end, waits that long, and then ends it.
stop() {
  local name="$1" seconds="$2" pid
  pid="$(running "$name")"
  if [[ -n "$pid" ]]; then
    kill -TERM "$pid" 2>/dev/null || true
    local deadline=$((SECONDS + seconds))
    while [[ -n "$(running "$name")" ]]; do
      if ((SECONDS >= deadline)); then
        echo "quire-$name did not end within $seconds s and is killed" >&2
        kill -KILL "$pid" 2>/dev/null || true
        deadline=$((SECONDS + 5))
      fi
      sleep 0.1
    done
  fi
  rm -f "$state/$name.pid"
}

# The names of the workers that run, of whichever service.
running_workers() {
  local file name
  for file in "$state"/worker*.pid; do
    name="${file##*/}"
    name="${name%.pid}"
    [[ -z "$(running "$name")" ]] || echo "$name"
  done
}

# stop_workers SECONDS: all of them; each is waited for that long.
stop_workers() {
  local name
  for name in $(running_workers); do
    kill -TERM "$(running "$name")" 2>/dev/null || true
  done
  for name in $(running_workers); do
    stop "$name" "$1"
  done
  rm -f "$state"/worker*.pid
}

# Where to dial what listens on an address: on all of this machine's, here.
dialled() {
  case "$1" in
    0.0.0.0:*) echo "127.0.0.1:${1##*:}" ;;
    \[::\]:*) echo "[::1]:${1##*:}" ;;
    *) echo "$1" ;;
  esac
}

# The file by which bash dials HOST:PORT.
socket_of() {
  local host="${1%:*}"
  host="${host#\[}"
  echo "/dev/tcp/${host%\]}/${1##*:}"
}

# Whether anybody listens on an address. One that is not this machine's may not
# answer at all.
is_taken() {
  # shellcheck disable=SC2016
  timeout 2 bash -c 'exec 3<>"$1"' is_taken "$(socket_of "$(dialled "$1")")" 2>/dev/null
}

# Ends the script where PORT cannot be the first of three.
check_port() {
  if ! [[ "$1" =~ ^[0-9]{1,5}$ ]] || ((10#$1 < 1 || 10#$1 > 65533)); then
    usage_error "--port is $1, and must be 1 to 65533"
  fi
}

# Ends the script where somebody listens on one of the addresses.
check_are_free() {
  local address
  for address in "$@"; do
    ! is_taken "$address" ||
      fail "$address is taken by another process; --port=PORT or QUIRE_PORT chooses others"
  done
}

# Whether the scheduler's admin address says that it is ready.
is_ready() {
  local answer=""
  {
    exec 3<>"$(socket_of "$1")" &&
      printf 'GET /readyz HTTP/1.0\r\n\r\n' >&3 &&
      read -r -t 5 answer <&3
    exec 3>&-
  } 2>/dev/null || true
  [[ "$answer" == HTTP/1.?\ 200* ]]
}
