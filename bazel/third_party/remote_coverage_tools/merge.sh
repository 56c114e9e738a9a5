#!/bin/bash
# Joins the lcov tracefiles below --coverage_dir into --output_file.
set -euo pipefail
for arg in "$@"; do
  case "$arg" in
    --coverage_dir=*) dir=${arg#*=} ;;
    --output_file=*) out=${arg#*=} ;;
  esac
done
find "${dir:?}" -name '*.dat' -o -name '*.info' | sort | xargs -r cat > "${out:?}"
