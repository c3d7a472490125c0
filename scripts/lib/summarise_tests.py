#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads ctest's JUnit files, one per round, and the list of allowed skips; prints one summary and judges the run.

A test failed if it failed in any round. It was skipped if it was skipped in any round and failed in none.
Exit status: 0 if all passed or were allowed to be skipped, 1 otherwise, 2 if an input cannot be read.
"""
import argparse
import fnmatch
import os
import re
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from typing import Dict, List, Optional


@dataclass
class Test:
    name: str
    outcome: str  # passed, failed or skipped
    reason: str  # why it was skipped or failed, "" if it passed
    evidence: List[str] = field(default_factory=list)  # the first lines of a failed test's output
    rounds: List[int] = field(default_factory=list)  # if there were several: those with this outcome


@dataclass
class AllowedSkip:
    """One row of tests/allowed_skips; test and kernel are shell patterns."""

    test: str
    kernel: str
    reason: str

    def covers(self, test: str, kernel: str) -> bool:
        return fnmatch.fnmatchcase(test, self.test) and fnmatch.fnmatchcase(kernel, self.kernel)


def skip_reason(output: str) -> str:
    """The text of GTEST_SKIP: between "Skipped" and the result line."""
    match = re.search(r": Skipped\n(.*?)\n\s*\[  SKIPPED \]", output, re.DOTALL)
    text = " ".join(match.group(1).split()) if match else ""
    return text or "no reason given"


def evidence_of(output: str, lines: int = 12) -> List[str]:
    """A failed test's message about its first failed check; the end of its output if there is none."""
    said = output.strip().splitlines()
    first = next((i for i, line in enumerate(said) if re.search(r": Failure$", line)), None)
    return said[first : first + lines] if first is not None else said[-lines:]


def read_results(path: str) -> List[Test]:
    tests = []
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        output = case.findtext("system-out") or ""
        failure = case.find("failure")
        skipped = case.find("skipped")
        status = case.get("status", "")
        name = case.get("name", "?")
        if "[  FAILED  ]" in output:
            tests.append(Test(name, "failed", "a check failed", evidence_of(output)))
        elif status == "run" and failure is None and skipped is None:
            tests.append(Test(name, "passed", ""))
        elif status == "disabled":
            tests.append(Test(name, "skipped", "disabled in the source"))
        elif skipped is not None and "SKIP_REGULAR_EXPRESSION" in skipped.get("message", ""):
            tests.append(Test(name, "skipped", skip_reason(output)))
        elif skipped is not None and "SKIP_RETURN_CODE" in skipped.get("message", ""):
            tests.append(Test(name, "skipped", " ".join(output.split()[-40:]) or "no reason given"))
        else:
            # A test that did not run (program missing, a fixture failed) has failed, whatever ctest calls it.
            node = failure if failure is not None else skipped
            reason = (node.get("message", "") if node is not None else "") or status
            tests.append(Test(name, "failed", reason, evidence_of(output)))
    return tests


def over_rounds(rounds: List[List[Test]]) -> List[Test]:
    """Each test once, with its worst outcome and its output at the first such outcome."""
    if len(rounds) == 1:
        return rounds[0]
    severity = ("passed", "skipped", "failed")
    worst: Dict[str, Test] = {}
    for number, tests in enumerate(rounds, 1):
        for test in tests:
            known = worst.get(test.name)
            if known is None or severity.index(test.outcome) > severity.index(known.outcome):
                worst[test.name] = known = test
            if test.outcome == known.outcome:
                known.rounds.append(number)
    return list(worst.values())


def in_rounds(test: Test, rounds: int) -> str:
    """The rounds with this outcome; empty if there was only one round."""
    if rounds == 1:
        return ""
    times = f"{len(test.rounds)} of {rounds} rounds"
    return f" in {times}" if len(test.rounds) == rounds else f" in {times} ({', '.join(map(str, test.rounds))})"


def counts(tests: List[Test]) -> str:
    of = {outcome: sum(test.outcome == outcome for test in tests) for outcome in ("passed", "failed", "skipped")}
    return ", ".join(f"{number} {outcome}" for outcome, number in of.items())


def read_allowed_skips(path: str) -> List[AllowedSkip]:
    rows = []
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            cells = line.split(None, 2)
            if len(cells) != 3:
                raise ValueError(f"{path}:{number}: needs three columns: test, kernel, reason")
            rows.append(AllowedSkip(cells[0], cells[1], cells[2].strip()))
    return rows


def permission(test: Test, rows: List[AllowedSkip], kernel: str) -> Optional[AllowedSkip]:
    return next((row for row in rows if row.covers(test.name, kernel)), None)


def rows_without_a_test(tests: List[Test], rows: List[AllowedSkip]) -> List[AllowedSkip]:
    """Rows for the virtual machine that match none of its tests: left out there, nonexistent, or misspelt.

    None if none of its tests was in the run: not every build has them.
    """
    names = [test.name for test in tests if test.name.startswith("vm.")]
    return [row for row in rows
            if names and row.test.startswith("vm.") and not fnmatch.filter(names, row.test)]


def unexplained_statuses(rounds: List[List[Test]], statuses: List[int]) -> List[str]:
    return [f"ctest ended with status {status}{f' in round {number}' if len(rounds) > 1 else ''} although no test failed"
            for number, (tests, status) in enumerate(zip(rounds, statuses), 1)
            if status != 0 and not any(test.outcome == "failed" for test in tests)]


def summarise(
    rounds: List[List[Test]], rows: List[AllowedSkip], kernel: str, preset: str, statuses: List[int], whole: bool
) -> bool:
    """Prints the summary, with only the counts on its last line; true on success. `whole`: no test was left out."""
    tests = over_rounds(rounds)
    failed = [test for test in tests if test.outcome == "failed"]
    skipped = [test for test in tests if test.outcome == "skipped"]
    refused = [test for test in skipped if permission(test, rows, kernel) is None]

    print(f"\n== summary of {preset} on kernel {kernel}")
    if len(rounds) > 1:
        for number, of_round in enumerate(rounds, 1):
            print(f"  round {number} of {len(rounds)}: {counts(of_round)}")
    for test in skipped:
        row = permission(test, rows, kernel)
        allowed = "SKIPPED, NOT ALLOWED" if row is None else f"SKIPPED (allowed: {row.reason})"
        print(f"  {allowed}{in_rounds(test, len(rounds))}   {test.name}: {test.reason}")
    names = {test.name for test in skipped}
    for row in rows:
        ran = [test.name for test in tests if test.name not in names and row.covers(test.name, kernel)]
        for name in ran:
            print(f"  note: {name} ran although tests/allowed_skips lets it be skipped here: remove the row?")
    # After the possibly long list of good outcomes, so that the end of a log shows the failures.
    for test in failed:
        print(f"  FAILED{in_rounds(test, len(rounds))}   {test.name}: {test.reason}")
        for line in test.evidence:
            print(f"             {line}")
    stale = rows_without_a_test(tests, rows) if whole else []
    for row in stale:
        print(f"  {row.test} of tests/allowed_skips is not a test of this build, remove the row: the run has failed")
    if refused:
        print(f"  {len(refused)} of the skipped tests are not in tests/allowed_skips: the run has failed")
    unexplained = unexplained_statuses(rounds, statuses)
    for line in unexplained:
        print(f"  {line}: the run has failed")
    print(counts(tests), flush=True)
    return not failed and not refused and not unexplained and not stale


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", required=True, nargs="+", help="files written by ctest --output-junit, one per round")
    parser.add_argument("--allowed-skips", required=True)
    parser.add_argument("--preset", required=True)
    parser.add_argument("--kernel", default=os.uname().release)
    parser.add_argument("--ctest-status", type=int, nargs="+", default=[], help="exit status of ctest, one per round")
    parser.add_argument("--whole", action="store_true", help="no test of the build was left out")
    options = parser.parse_args()
    try:
        rounds = [read_results(path) for path in options.results]
        rows = read_allowed_skips(options.allowed_skips)
    except (OSError, ValueError, ElementTree.ParseError) as error:
        print(f"summarise_tests: {error}", file=sys.stderr)
        return 2
    good = summarise(rounds, rows, options.kernel, options.preset, options.ctest_status, options.whole)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
