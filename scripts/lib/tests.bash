# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced after build.bash by scripts that run the tests of an existing build.
# shellcheck disable=SC2154 # root and cores are build.bash's

# list_tests PRESET SELECTION...: prints how many tests ctest selects; dies if that is none.
list_tests() {
  local preset=$1 listing
  shift
  # Does not use the exit status: ctest succeeds if nothing matches.
  listing=$(cd "$root" && ctest --preset "$preset" -N "$@")
  if grep -q '^Total Tests: 0$' <<<"$listing"; then
    echo "labels of this build:" >&2
    (cd "$root" && ctest --preset "$preset" --print-labels) | sed -n 's/^  \([^ ]\)/  \1/p' >&2
    die "no test matches $*"
  fi
  sed -n 's/^Total Tests: //p' <<<"$listing"
}

# run_tests PRESET ROUNDS WHOLE SELECTION...: runs ctest's selection ROUNDS times and prints one summary, with only the
# counts on the last line. WHOLE is yes if no test of the build was left out. Returns non-zero on failure.
# Results are in build/PRESET/test-results.xml; for several rounds in test-results-ROUND.xml.
run_tests() {
  local preset=$1 rounds=$2 whole=$3 round count status results=() statuses=() more=()
  shift 3
  count=$(list_tests "$preset" "$@") || exit
  rm -f "$root/build/$preset"/test-results*.xml
  # Most tests wait for a timer, a process or the emulated machine.
  local jobs=$((2 * cores)) progress=() result
  [[ ! -t 1 ]] || progress=(--progress)
  for ((round = 1; round <= rounds; ++round)); do
    result=$root/build/$preset/test-results.xml
    ((rounds == 1)) || result=${result%.xml}-$round.xml
    say "running $count tests of build/$preset with $jobs jobs$( ((rounds == 1)) || echo ", round $round of $rounds")"
    status=0
    (cd "$root" && ctest --preset "$preset" -j "$jobs" "${progress[@]}" --output-junit "$result" "$@") || status=$?
    [[ -s $result ]] || die "ctest ended with status $status and left no results"
    results+=("$result")
    statuses+=("$status")
  done
  [[ $whole == no ]] || more=(--whole)
  python3 -B "$root/scripts/lib/summarise_tests.py" --results "${results[@]}" --preset "$preset" \
    --allowed-skips "$root/tests/allowed_skips" --ctest-status "${statuses[@]}" "${more[@]}"
}
