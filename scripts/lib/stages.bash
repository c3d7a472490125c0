# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by scripts with named stages, such as .ci/run: runs them in order and reports on all at the end.

stage_report=()
declare -A beside_pid beside_command
failed_stages=0
# The last output of failed stages, so that the end of a long log shows the errors.
failures=$(mktemp)
trap 'rm -f "$failures" "$failures".*' EXIT

# failed NAME LOG: records that a stage failed and its last output; sets its caller's outcome.
failed() {
  outcome=FAILED
  failed_stages=$((failed_stages + 1))
  {
    printf '\n#### %s failed; its last lines:\n' "$1"
    tail -n 60 "$2" | sed '/^  SKIPPED (allowed: /d'
  } >>"$failures"
}

# stage NAME COMMAND...: runs it without input and records its time, its outcome and its error.
stage() {
  local name=$1 started=$SECONDS outcome=ok
  shift
  printf '\n#### %s: %s\n' "$name" "$*"
  "$@" </dev/null 2>&1 | tee "$failures.stage" || failed "$name" "$failures.stage"
  stage_report+=("$(printf '%-18s %-6s %4d s' "$name" "$outcome" $((SECONDS - started)))")
}

# beside NAME COMMAND...: starts a stage that runs in parallel to others. `await NAME` prints its output and outcome;
# nothing is printed before.
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

# await NAME: waits for a stage that `beside` started, prints its output and records its outcome.
await() {
  local name=$1 status=1 took=0 outcome=ok
  wait "${beside_pid[$name]}"
  printf '\n#### %s, which ran beside others: %s\n' "$name" "${beside_command[$name]}"
  cat "$failures.$name"
  [[ ! -s $failures.$name.end ]] || read -r status took <"$failures.$name.end"
  ((status == 0)) || failed "$name" "$failures.$name"
  stage_report+=("$(printf '%-18s %-6s %4d s, beside others' "$name" "$outcome" "$took")")
}

# finish: prints the errors of failed stages and the table of all, and exits non-zero if any failed.
finish() {
  cat "$failures"
  printf '\n#### stages\n'
  printf '%s\n' "${stage_report[@]}"
  printf '%-18s %-6s %4d s\n' total "$( ((failed_stages == 0)) && echo ok || echo FAILED)" "$SECONDS"
  ((failed_stages == 0))
  exit
}
