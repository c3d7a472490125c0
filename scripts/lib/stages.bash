# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by .ci/run and .ci/nightly: runs named stages in order and reports on all of them at the end.

stage_report=()
failed_stages=0

# stage NAME COMMAND...: runs it without an input and notes its time and outcome.
stage() {
  local name=$1 started=$SECONDS outcome=ok
  shift
  printf '\n#### %s: %s\n' "$name" "$*"
  if ! "$@" </dev/null; then
    outcome=FAILED
    failed_stages=$((failed_stages + 1))
  fi
  stage_report+=("$(printf '%-12s %-6s %4d s' "$name" "$outcome" $((SECONDS - started)))")
}

# finish: prints the table of stages and exits non-zero if any failed.
finish() {
  printf '\n#### stages\n'
  printf '%s\n' "${stage_report[@]}"
  printf '%-12s %-6s %4d s\n' total "$( ((failed_stages == 0)) && echo ok || echo FAILED)" "$SECONDS"
  ((failed_stages == 0))
  exit
}
