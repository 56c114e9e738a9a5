# shellcheck shell=bash disable=SC2034
# Names that the scripts of this folder share. To be sourced.

HOME="${HOME:-$(getent passwd "$(id -u)" | cut -d: -f6)}"
export HOME

repository="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)"
readonly repository

# Where downloads and built objects are kept.
readonly cache="${QUIRE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/quire}"
readonly object_cache="${QUIRE_CACHE:+$QUIRE_CACHE/bazel}"

# Where a running service leaves its process ids and logs.
readonly state="${QUIRE_STATE:-${XDG_STATE_HOME:-$HOME/.local/state}/quire}"

# Where the three ports begin: API, workers, admin.
readonly default_port="${QUIRE_PORT:-8300}"

fail() {
  echo "${0##*/}: $*" >&2
  exit 1
}

# A wrong command line.
usage_error() {
  echo "${0##*/}: $*; see $0 --help" >&2
  exit 2
}

# The comment at the head of the script, for --help.
usage() {
  sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "$0"
}

# For a script without flags: answers --help, which may be its first word, and
# refuses what else looks like a flag.
take_no_flags() {
  case "${1:-}" in
    -h | --help)
      usage
      exit 0
      ;;
    -*) usage_error "there is no flag $1" ;;
  esac
}

# For a script that takes nothing but --help.
take_nothing() {
  take_no_flags "$@"
  (($# == 0)) || usage_error "what is $1?"
}

# Bazel in the repository, with a cache of built objects outside of it.
run_bazel() {
  local command="$1"
  shift
  # BAZEL may carry options of its own.
  # shellcheck disable=SC2086
  (cd "$repository" && ${BAZEL:-bazel} "$command" \
    --disk_cache="${object_cache:-$HOME/.cache/quire-bazel}" "$@")
}

# The folder of what was built.
built() {
  run_bazel info bazel-bin 2>/dev/null
}
