# SPDX-License-Identifier: Apache-2.0
"""The checks for each kernel of scripts/vm, and the table of their results; docs/kernel_support.md."""
import re
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Dict, List, Sequence, Tuple

from vm_image import ARCHITECTURES, VmError

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/kernel_support.md"
BEGIN = "<!-- made by scripts/vm matrix --write -->"
END = "<!-- end of what scripts/vm matrix made -->"
LIMIT_S = 600
# One command runs all rows of the ladder.
ROWS_LIMIT_S = 1800
PASS = "pass"
FAIL = "FAIL"
# In a column of the page, of a check that came after its run.
NOT_RUN = "not run"
SHOWN_LINES = 25


# The build that is tried.
PRESETS = {"amd64": "release", "arm64": "arm64"}


@dataclass(frozen=True)
class Target:
    kernel: str
    cgroup: str
    architecture: str = ARCHITECTURES[0]

    def __str__(self) -> str:
        return f"{self.name_of_kernel()} {self.cgroup}"

    def name_of_kernel(self) -> str:
        return self.kernel if self.architecture == ARCHITECTURES[0] else f"{self.kernel} {self.architecture}"


TARGETS = [Target("5.10", "v2"), Target("6.1", "v2"), Target("6.1", "v1"), Target("6.12", "v2"),
           Target("6.1", "v2", "arm64"), Target("6.12", "v2", "arm64")]


@dataclass(frozen=True)
class Check:
    """One line of the table. Exactly one of `row`, `tests`, `command` and `budget` is given."""
    name: str
    # Cases of bpf_family_test; one run covers all rows.
    row: str = ""
    # A test program and cases of it.
    tests: Tuple[str, str] = ("", "")
    # A shell command whose exit status decides; {bin} is the directory of the programs.
    command: str = ""
    # Compares the verifier's cost with docs/verifier_budget.md.
    budget: bool = False
    # Targets where it cannot pass and why, by kernel, hierarchies or both ("6.1", "v1", "6.1 v1", "6.1 arm64"). It must
    # pass on all others.
    absent: Dict[str, str] = field(default_factory=dict)

    def reason(self, target: Target) -> str:
        """Why this target lacks it; empty if it must pass."""
        for key in (str(target), target.name_of_kernel(), target.architecture, target.cgroup):
            if key in self.absent:
                return self.absent[key]
        return ""


NO_MEMCG_STATE = {kernel: "the tracepoint is newer" for kernel in ("5.10", "6.1", "6.12", "arm64")}
NO_FENTRY = {"6.1 arm64": "fentry of arm64 is newer"}
NO_SIGNAL_TASK = {kernel: "`bpf_send_signal_task` is newer" for kernel in ("5.10", "6.1", "6.12", "arm64")}


def backstop(row: str, absent: Dict[str, str]) -> Check:
    return Check(f"`backstop` `{row}`", row=f"Ladder/BackstopRow.KillsTheVictimThatGrowsPastTheLevel/{row}",
                 absent=absent)


# The demonstration's line for an eviction that a hook started, by the crossing or by a rehearsal that came too late;
# disk evictions start with a reading.
PUSHED = "detection: the kernel program saw it"


def demo(scenario: str, source: str) -> Check:
    line = f"{{bin}}/evictctl demo --scenario {scenario} --event-source {source}"
    if source == "bpf" and scenario in ("memory", "pids"):
        line = f"set -o pipefail; {line} | tee /run/said && grep -qF '{PUSHED}' /run/said"
    return Check(f"eviction: {scenario}, {source}", command=line)


CHECKS = [
    Check("`doctor`: nothing lost", command="{bin}/evictctl doctor", absent={"5.10": "says what is lost, below", "6.1 arm64": "says what is lost, below"}),
    Check("`doctor`: BPF, something lost", command="{bin}/evictctl doctor; [ $? = 1 ]",
          absent={kernel: "nothing is lost" for kernel in ("6.1", "6.12", "6.12 arm64")}),
    Check("`memory-charge` `fentry`", row="Ladder/ChargeRow.SeesTheCgroupThatGrowsAndItsUsage/fentry",
          absent=NO_FENTRY),
    Check("`memory-charge` `kprobe`", row="Ladder/ChargeRow.SeesTheCgroupThatGrowsAndItsUsage/kprobe"),
    Check("`memory-charge` `tp_btf`", row="Ladder/ChargeRow.SeesTheCgroupThatGrowsAndItsUsage/tp_btf",
          absent=NO_MEMCG_STATE),
    Check("`sweep-timer` `bpf_timer`", row="MemoryCrossing.IsSeenByTheTimerAloneWhenNoHookIsWanted",
          absent={"5.10": "no `bpf_timer`: polled"}),
    Check("`node-memory` `vm_stat`", row="Node.WorkingSetCrossingIsPushed"),
    Check("`node-available` `vm_stat`", row="AtHand.CrossingIsPushed"),
    Check("`task-fork` `tp_btf`", row="TasksCrossing.IsSeenAtTheForkThatCrosses"),
    Check("`task-fork` `raw_tp`", row="TasksCrossing.IsSeenThroughTheRawTracepointToo"),
    Check("`cgroups` `tp_btf`", row="Rows/CgroupEvents.TellWhoWasCreatedAndWhere/tp_btf"),
    Check("`cgroups` `raw_tp`", row="Rows/CgroupEvents.TellWhoWasCreatedAndWhere/raw_tp"),
    Check("`stall` `fentry`", row="Ladder/StallRow.ReportsACgroupAtItsLimitAndCountsItInItsRow/fentry",
          absent={"5.10": "the verifier refuses a pointer to a number", **NO_FENTRY}),
    Check("`stall` `tp_btf`", row="Ladder/StallRow.ReportsACgroupAtItsLimitAndCountsItInItsRow/tp_btf"),
    Check("`oom` `tp_btf`", row="Ladder/OomRow.NamesTheVictimAndItsOwnCgroup/tp_btf",
          absent={"5.10": "the tracepoint has a pid alone"}),
    Check("`oom` `fentry`", row="Ladder/OomRow.NamesTheVictimAndItsOwnCgroup/fentry", absent=NO_FENTRY),
    Check("`oom` `tp_btf_pid`", row="Ladder/OomRow.NamesTheVictimAndItsOwnCgroup/tp_btf_pid"),
    Check("`per-page-charge` `tp_btf`", row="Ladder/PerPageRow.SeesTheCgroupThatGrowsAndItsUsage/tp_btf",
          absent=NO_MEMCG_STATE),
    backstop("fentry_listed", NO_SIGNAL_TASK),
    backstop("tp_btf_listed", NO_SIGNAL_TASK),
    backstop("fentry", NO_FENTRY),
    backstop("tp_btf", NO_MEMCG_STATE),
    Check("PSI: stall time is the cgroup's own",
          row="UnifiedStall.OfACgroupAboveItsHighMarkIsWhatItsPressureFileSays",
          absent={"5.10": "no `stall` `fentry`: reclaim time alone", "6.1 arm64": "no `stall` `fentry`: reclaim time alone", "v1": "no PSI per cgroup"}),
    *(demo(scenario, source) for scenario in ("memory", "pids", "disk", "inodes") for source in ("bpf", "poll")),
    Check("the kill, cgroup v2: by `cgroup.kill`",
          tests=("enforce_integration_test", "CgroupActuatorOnV2.OneWriteKillsThePodAndAllBelowIt"),
          absent={"5.10": "is newer: by pidfds", "v1": "is v1"}),
    Check("the kill, cgroup v2: what outlives its grace",
          tests=("enforce_integration_test", "CgroupActuatorOnV2.WhatIgnoresSigtermIsKilledWhenItsGraceEnds"),
          absent={"v1": "is v1"}),
    Check("the kill, cgroup v1", tests=("enforce_integration_test",
                                        "CgroupActuatorOnV1.GraceZeroKillsAtOnceWithoutSigterm"
                                        ":CgroupActuatorOnV1.APodThatForksAsFastAsItCanIsKilledEntirely"),
          absent={"v2": "is v2"}),
    Check("the verifier's budget", budget=True,
          absent={"v1": "that of the kernel with v2", "arm64": "that of the kernel of amd64"}),
]

# Runs a shell command in the target's machine: (target, command, seconds) -> exit status, output.
Execute = Callable[[Target, str, int], Tuple[int, str]]
# Result of each check, by name.
Column = Dict[str, str]


def machine_arguments(preset: str, target: Target) -> List[str]:
    return ["--preset", preset, "--arch", target.architecture, "--kernel", target.kernel, "--cgroup", target.cgroup]


def execute_in_machine(preset: str) -> Execute:
    def execute(target: Target, line: str, limit_s: int) -> Tuple[int, str]:
        done = subprocess.run([str(ROOT / "scripts/vm"), "exec", *machine_arguments(preset, target),
                               "--timeout", str(limit_s), "--", line],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        return done.returncode, done.stdout.decode("utf-8", errors="replace")
    return execute


def say(words: str) -> None:
    print(f"vm: matrix: {words}", file=sys.stderr, flush=True)


def verdict(target: Target, check: Check, passed: bool, output: str, began: float) -> str:
    result = PASS if passed else FAIL
    say(f"{target}: {check.name}: {result} ({time.monotonic() - began:.0f} s)")
    if not passed:
        print("\n".join(output.rstrip().splitlines()[-SHOWN_LINES:]), file=sys.stderr)
    return result


def ran(output: str, case: str) -> bool:
    """Whether GoogleTest's output says that this case passed; one that skips itself did not."""
    return re.search(rf"^\[ +OK \] {re.escape(case)}( |$)", output, re.MULTILINE) is not None


def words_of(output: str, case: str) -> str:
    """What GoogleTest printed while this case ran; all of it if the case did not begin."""
    said = re.search(rf"^\[ RUN +\] {re.escape(case)}\n.*?(?=^\[ RUN|^\[---|\Z)", output, re.MULTILINE | re.DOTALL)
    return said.group() if said else output


def run_rows(target: Target, checks: Sequence[Check], tree: str, execute: Execute) -> Column:
    began = time.monotonic()
    cases = ":".join(check.row for check in checks)
    _, output = execute(target, f"{tree}/tests/bpf_family_test --gtest_filter='{cases}'", ROWS_LIMIT_S)
    return {check.name: verdict(target, check, ran(output, check.row), words_of(output, check.row), began)
            for check in checks}


def run_one(target: Target, check: Check, tree: str, execute: Execute) -> str:
    began = time.monotonic()
    if check.budget:
        preset = tree.rsplit("/", 1)[-1]
        done = subprocess.run([str(ROOT / "scripts/verifier-budget"), "--check", "--kernel", target.kernel,
                               "--preset", preset],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        return verdict(target, check, done.returncode == 0, done.stdout, began)
    program, cases = check.tests
    line = check.command.format(bin=f"{tree}/bin") or f"{tree}/tests/{program} --gtest_filter='{cases}'"
    status, output = execute(target, line, LIMIT_S)
    passed = status == 0 and all(ran(output, case) for case in cases.split(":") if case)
    return verdict(target, check, passed, output, began)


def run_target(target: Target, tree: str, execute: Execute, checks: Sequence[Check] = CHECKS) -> Tuple[str, Column]:
    """The kernel's release, and the result of each check."""
    status, output = execute(target, "uname -r", LIMIT_S)
    release = output.strip().splitlines()[-1] if status == 0 and output.strip() else ""
    if not release:
        raise VmError(f"no machine with {target}:\n{output.strip()}")
    column = {check.name: check.reason(target) for check in checks if check.reason(target)}
    wanted = [check for check in checks if check.name not in column]
    column.update(run_rows(target, [check for check in wanted if check.row], tree, execute))
    for check in wanted:
        if not check.row:
            column[check.name] = run_one(target, check, tree, execute)
    return release, column


def table(columns: Dict[str, Column], checks: Sequence[Check] = CHECKS) -> str:
    """The table as Markdown; `columns` are by their heads."""
    lines = ["| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for check in checks:
        lines.append(f"| {check.name} | " + " | ".join(column[check.name] for column in columns.values()) + " |")
    return "\n".join(lines) + "\n"


def parts_of(text: str) -> Tuple[str, str, str]:
    """The page's text before the table, the table, and the text after it."""
    before, begin, rest = text.partition(BEGIN)
    made, end, after = rest.partition(END)
    if not begin or not end:
        raise VmError(f"{PAGE.name} lacks the markers of the table")
    return before + begin, made, end + after


def page_with(text: str, new: str) -> str:
    before, _, after = parts_of(text)
    return f"{before}\n{new}{after}"


def target_of(head: str) -> Target:
    """The target of a column, by its head."""
    words = re.match(r"(\d+\.\d+)(\S*), cgroup (v\d)$", head)
    if words is None:
        return Target("", "")
    named = [name for name in ARCHITECTURES if words.group(2).endswith(f"-{name}")]
    return Target(words.group(1), words.group(3), *named)


def whole_column(head: str, written: Column, checks: Sequence[Check]) -> Column:
    """A column of the page with the checks that came after its run."""
    target = target_of(head)
    return {check.name: written.get(check.name, check.reason(target) or NOT_RUN) for check in checks}


def columns_of(text: str, checks: Sequence[Check] = CHECKS) -> Dict[str, Column]:
    """The page's columns, by their heads, with a result of each check."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")]
            for line in parts_of(text)[1].splitlines() if line.startswith("|")]
    if not rows:
        return {}
    unknown = {row[0] for row in rows[2:]} - {check.name for check in checks}
    if unknown:
        raise VmError(f"the table of {PAGE.name} has rows that are no checks ({', '.join(sorted(unknown))}): "
                      "write the whole table")
    return {head: whole_column(head, {row[0]: row[at] for row in rows[2:]}, checks)
            for at, head in enumerate(rows[0]) if at > 0}


def with_columns(kept: Dict[str, Column], new: Dict[str, Column]) -> Dict[str, Column]:
    """`new`, and the columns of `kept` for other targets, in the order of the targets."""
    chosen = {target_of(head): (head, column) for head, column in [*kept.items(), *new.items()]}
    return dict(chosen[target] for target in TARGETS if target in chosen)


def run_matrix(presets: Dict[str, str], targets: Sequence[Target], write: bool) -> int:
    """Runs all checks on these targets; returns 1 if any failed. `presets`: the build of each architecture. `write`:
    writes their columns into the page."""
    # Fails before hours are spent.
    kept = columns_of(PAGE.read_text(encoding="utf-8")) if write and len(targets) < len(TARGETS) else {}
    columns: Dict[str, Column] = {}
    for target in targets:
        preset = presets[target.architecture]
        try:
            release, columns[str(target)] = run_target(target, f"build/{preset}", execute_in_machine(preset))
        finally:
            subprocess.run([str(ROOT / "scripts/vm"), "stop", *machine_arguments(preset, target)], check=False)
        columns[f"{release}, cgroup {target.cgroup}"] = columns.pop(str(target))
    print(table(columns), end="")
    if write:
        made = table(with_columns(kept, columns))
        PAGE.write_text(page_with(PAGE.read_text(encoding="utf-8"), made), encoding="utf-8")
    return 1 if any(FAIL in column.values() for column in columns.values()) else 0
