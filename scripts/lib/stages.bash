# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by .ci/run and .ci/nightly: runs named stages in order and reports on all of them at the end.

stage_report=()
failed_stages=0
# What failed stages printed last, so that the end of a long log says what is wrong.
failures=$(mktemp)
trap 'rm -f "$failures" "$failures.stage"' EXIT

# stage NAME COMMAND...: runs it without an input and notes its time, its outcome and how it failed.
stage() {
  local name=$1 started=$SECONDS outcome=ok
  shift
  printf '\n#### %s: %s\n' "$name" "$*"
  if ! "$@" </dev/null 2>&1 | tee "$failures.stage"; then
    outcome=FAILED
    failed_stages=$((failed_stages + 1))
    {
      printf '\n#### %s failed; its last lines:\n' "$name"
      tail -n 60 "$failures.stage"
    } >>"$failures"
  fi
  stage_report+=("$(printf '%-12s %-6s %4d s' "$name" "$outcome" $((SECONDS - started)))")
}

# finish: prints how stages failed and the table of all, and exits non-zero if any failed.
finish() {
  cat "$failures"
  printf '\n#### stages\n'
  printf '%s\n' "${stage_report[@]}"
  printf '%-12s %-6s %4d s\n' total "$( ((failed_stages == 0)) && echo ok || echo FAILED)" "$SECONDS"
  ((failed_stages == 0))
  exit
}
