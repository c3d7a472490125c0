# SPDX-License-Identifier: Apache-2.0
"""The test programs of a build, run in a machine of scripts/vm and judged as scripts/test judges them; docs/vm.md."""
import json
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, List, Sequence, Tuple

from summarise_tests import Test, evidence_of, read_allowed_skips, skip_reason, summarise
from vm_image import VmError

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 900
MEMORY_MIB = 3072
# What these programs read of the tree, and what else the image must have: their libraries, and a UTF-8 locale.
FILES = ["CMakePresets.json", "deploy", "docs", "integrations", "scripts", "tests/data/kube", "tests/data/vectors",
         "tests/simulation", "tests/unit"]
PACKAGES = ["libatomic1", "libc-bin", "libcpp-httplib0.11", "libcurl4", "libgrpc++1.51", "libprometheus-cpp-core1.0",
            "libprotobuf-lite32"]
# Runs a shell command in the machine: (command, seconds) -> exit status, output.
Execute = Callable[[str, int], Tuple[int, str]]


@dataclass
class Program:
    """A program of the build, with its arguments if it is one test; otherwise `cases` are GoogleTest's."""
    path: str
    line: str
    name: str
    cases: List[str] = field(default_factory=list)


def program_of(command: List[str], tree: str) -> List[str]:
    """The command without the emulator that runs it here; empty if it is no program of this build."""
    if command and Path(command[0]).name.startswith("qemu-"):
        command = command[3:]  # -L SYSROOT
    return command if command and command[0].startswith(f"{tree}/") else []


def programs_of(tests: Sequence[dict], tree: str) -> Tuple[List[Program], List[str]]:
    """The programs of ctest's tests, each once, and the names of the tests that are something else."""
    programs: dict = {}
    others = []
    for test in tests:
        command = program_of(test.get("command", []), tree)
        case = next((word.split("=", 1)[1] for word in command if word.startswith("--gtest_filter=")), "")
        if not command:
            others.append(test["name"])
        elif case:
            programs.setdefault(command[0], Program(command[0], command[0], command[0])).cases.append(case)
        else:
            programs[test["name"]] = Program(command[0], shlex.join(command), test["name"])
    return list(programs.values()), others


def listed(preset: str, selection: Sequence[str]) -> List[dict]:
    done = subprocess.run(["ctest", "--preset", preset, "--show-only=json-v1", *selection], cwd=ROOT,
                          stdout=subprocess.PIPE, check=False)
    tests = json.loads(done.stdout)["tests"] if done.returncode == 0 else []
    if not tests:
        raise VmError(f"no test of build/{preset} matches {' '.join(selection)}")
    return tests


def words_of(output: str, case: str) -> str:
    """What GoogleTest printed from the beginning of this case to its result."""
    said = re.search(rf"^\[ RUN +\] {re.escape(case)}\n.*?^\[ +(OK|FAILED|SKIPPED) +\] {re.escape(case)}\b[^\n]*",
                     output, re.MULTILINE | re.DOTALL)
    return said.group() if said else ""


def outcome_of(output: str, case: str) -> Test:
    words = words_of(output, case)
    last = words.splitlines()[-1] if words else ""
    if last.startswith("[       OK"):
        return Test(case, "passed", "")
    if last.startswith("[  SKIPPED"):
        return Test(case, "skipped", skip_reason(words))
    return Test(case, "failed", "a check failed" if words else "did not end", evidence_of(words or output))


def run_program(program: Program, execute: Execute) -> List[Test]:
    """The results of the selected tests, and of the program itself if it alone has failed."""
    status, output = execute(program.line, LIMIT_S)
    output = output.replace("\r", "")
    tests = [outcome_of(output, case) for case in program.cases]
    if status == 0:
        return tests or [Test(program.name, "passed", "")]
    if not any(test.outcome == "failed" for test in tests):
        tests.append(Test(program.name, "failed", f"exit status {status}", evidence_of(output)))
    return tests


def chosen_programs(preset: str, selection: Sequence[str]) -> List[Program]:
    """The programs with a test of ctest's selection; says which tests are no program of this build."""
    programs, others = programs_of(listed(preset, selection), str(ROOT / "build" / preset))
    for name in others:
        print(f"vm: not run there, because it is no program of the build: {name}", file=sys.stderr)
    return programs


def run_programs(preset: str, programs: Sequence[Program], execute: Execute) -> int:
    """Runs these programs; returns 1 if any test failed or was skipped without permission."""
    tests: List[Test] = []
    for number, program in enumerate(programs, 1):
        found = run_program(program, execute)
        bad = sum(test.outcome == "failed" for test in found)
        print(f"vm: {number} of {len(programs)}: {Path(program.name).name}: {len(found)} tests, {bad} failed",
              file=sys.stderr, flush=True)
        tests += found
    _, release = execute("uname -r", LIMIT_S)
    allowed = read_allowed_skips(str(ROOT / "tests/allowed_skips"))
    return 0 if summarise([tests], allowed, release.strip(), preset, [], False) else 1
