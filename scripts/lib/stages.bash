# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by what has named stages, as .ci/run: runs them in order and reports on all of them at the end.

stage_report=()
declare -A beside_pid beside_command
failed_stages=0
# What failed stages printed last, so that the end of a long log says what is wrong.
failures=$(mktemp)
trap 'rm -f "$failures" "$failures".*' EXIT

# failed NAME LOG: notes that a stage failed and what it printed last; sets its caller's outcome.
failed() {
  outcome=FAILED
  failed_stages=$((failed_stages + 1))
  {
    printf '\n#### %s failed; its last lines:\n' "$1"
    tail -n 60 "$2" | sed '/^  SKIPPED (allowed: /d'
  } >>"$failures"
}

# stage NAME COMMAND...: runs it without an input and notes its time, its outcome and how it failed.
stage() {
  local name=$1 started=$SECONDS outcome=ok
  shift
  printf '\n#### %s: %s\n' "$name" "$*"
  "$@" </dev/null 2>&1 | tee "$failures.stage" || failed "$name" "$failures.stage"
  stage_report+=("$(printf '%-18s %-6s %4d s' "$name" "$outcome" $((SECONDS - started)))")
}

# beside NAME COMMAND...: starts a stage that runs while others do; `await NAME` tells how it ended. Nothing is
# printed of it before.
beside() {
  local name=$1
  shift
  beside_command[$name]="$*"
  {
    local began=$SECONDS
    "$@" </dev/null >"$failures.$name" 2>&1
    echo "$? $((SECONDS - began))" >"$failures.$name.end"
  } &
  beside_pid[$name]=$!
}

# await NAME: waits for what `beside` started, prints what it said and notes its outcome as a stage's.
await() {
  local name=$1 status=1 took=0 outcome=ok
  wait "${beside_pid[$name]}"
  printf '\n#### %s, which ran beside others: %s\n' "$name" "${beside_command[$name]}"
  cat "$failures.$name"
  [[ ! -s $failures.$name.end ]] || read -r status took <"$failures.$name.end"
  ((status == 0)) || failed "$name" "$failures.$name"
  stage_report+=("$(printf '%-18s %-6s %4d s, beside others' "$name" "$outcome" "$took")")
}

# finish: prints how stages failed and the table of all, and exits non-zero if any failed.
finish() {
  cat "$failures"
  printf '\n#### stages\n'
  printf '%s\n' "${stage_report[@]}"
  printf '%-18s %-6s %4d s\n' total "$( ((failed_stages == 0)) && echo ok || echo FAILED)" "$SECONDS"
  ((failed_stages == 0))
  exit
}
