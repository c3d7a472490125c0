#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plans the checks of a change: the files that differ from a commit, their targets and tests, and clang-tidy's sources.

  plan     one entry per line: base, file, format, target, test, tidy or note, and its value; empty if nothing differs
  sources  the sources for clang-tidy, one per line
  select   the tests that belong to programs or match a pattern, out of `ctest --show-only=json-v1` on standard input,
           in the format of ctest's -I; empty if there is none

The tests of a folder of userspace/ are the folders of the same name below tests/unit and tests/integration, and those
in TESTED_BY. The tests of a file in tests/ are the programs that are built from it. For a header, clang-tidy reads one
source that includes it. Only paths and names of a compilation database are used.
"""
import argparse
import functools
import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, Iterable, List, NamedTuple, Optional, Set

sys.path.insert(0, str(Path(__file__).resolve().parent))
from code_text import with_other_code  # noqa: E402

# Test folders whose name differs from the folder that they test.
TESTED_BY = {
    "bpf": ["tests/bpf"],
    "deploy": ["tests/unit/config"],
    "include/evictd": ["tests/unit/notify_client"],
    "include/evictd/abi": ["tests/bpf"],
    "tests/data/vectors": ["tests/vectors"],
    "userspace/cli/demo": ["tests/integration/demo"],
    "userspace/eviction": ["tests/vectors"],
    "userspace/notify_client": ["tests/integration/notify"],
    "userspace/probe": ["tests/bpf"],
    "vmlinux": ["tests/bpf"],
}
# Tests without a program, and what they need.
NAMED_TESTS = [
    (re.compile(r"(bpf|include/evictd/abi|vmlinux)/"), r"^bpf\.", ["verifier_stats"]),
    (re.compile(r"(docs/|.*\.md$)"), r"^Tooling\.documented_commands$", ["evictctl", "evictd"]),
    (re.compile(r"bench/(plan\.toml|results/)"), r"^Tooling\.bench_all$", []),
    (re.compile(r"deploy/"), r"^Tooling\.unit_file$", []),
    (re.compile(r"(\.ci|scripts)/"), r"^Tooling\.(?!.*command)", []),
    (re.compile(r"deploy/kubernetes/"), r"^Kube\.manifests$", ["evictctl", "evictd-kube"]),
    (re.compile(r"(userspace/(cri|kube)|tests/(support|integration)/kube)/"), r"^Kube\.", ["evictd-kube"]),
    (re.compile(r"(userspace/cli|tests/integration)/top/"), r"^Top\.", ["evict-load", "evictctl", "evictd"]),
    (re.compile(r"integrations/go/"), r"^Go\.", []),
    (re.compile(r"integrations/"), r"^Notify\.",
     ["evict-load", "evictctl", "evictd", "notify_example_c", "notify_example_go"]),
]
# The tests in tests/tooling that run programs.
TOOLING_PROGRAMS = {
    "command_line": ["evictctl"],
    "daemon_command_line": ["evictd"],
    "documented_commands": ["evictctl", "evictd"],
    "load_command_line": ["evict-load"],
}
FORMATTED = re.compile(r"(bench|bpf|examples|include|integrations|tests|userspace)/.*\.(h|c|cpp)$")
TIDIED = re.compile(r"(userspace|tests|bench)/.*\.cpp$")
SOURCE_ENDINGS = (".h", ".c", ".cpp")
EVERYWHERE = re.compile(r"(cmake/.*|(tests/|integrations/|tests/unit/|tests/integration/)?CMakeLists\.txt|CMakePresets\.json)$")


class PlanError(Exception):
    """An error for the person who runs this."""


class Unit(NamedTuple):
    """A source compiled for a target; paths are relative to the tree."""

    source: str
    target: str
    folder: str


@dataclass
class Plan:
    files: List[str]
    targets: Set[str] = field(default_factory=set)
    tests: Set[str] = field(default_factory=set)
    tidy: List[str] = field(default_factory=list)
    notes: List[str] = field(default_factory=list)


# --- what differs ---------------------------------------------------------------------------------


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise PlanError(f"git {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def default_base(root: Path) -> str:
    """The merge base with origin/main; the last commit if there is no such branch."""
    done = subprocess.run(["git", "-C", str(root), "merge-base", "HEAD", "origin/main"],
                          capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else git(root, "rev-parse", "HEAD").strip()


def not_committed(root: Path) -> Set[str]:
    return set(git(root, "diff", "--name-only", "--no-renames", "-z", "HEAD").split("\0")
               + git(root, "ls-files", "--others", "--exclude-standard", "-z").split("\0")) - {""}


def since(root: Path, base: str) -> List[str]:
    """Files that differ between a commit and the working tree, including untracked ones."""
    differing = git(root, "diff", "--name-only", "--no-renames", "-z", base, "--").split("\0")
    return sorted(set(differing) - {""} | not_committed(root))


def touched_by_last(root: Path, count: int) -> List[str]:
    """Files that the last commits touched, or that are not committed.

    A source whose comments alone differ from before those commits is left out.
    A shallow clone does not know what its oldest commit touched, so that commit counts only if it is the only one.
    """
    commits = git(root, "rev-list", f"--max-count={count}", "HEAD").split()
    shallow = Path(git(root, "rev-parse", "--git-path", "shallow").strip())
    cut = set((root / shallow).read_text(encoding="ascii").split()) if (root / shallow).exists() else set()
    known = [commit for commit in commits if commit not in cut] or commits
    named = git(root, "show", "--format=", "--name-only", "--no-renames", "-m", "-z", *known)
    touched = set(re.split(r"[\0\n]", named)) - {""} | not_committed(root)
    parents = git(root, "show", "--no-patch", "--format=%P", *known).split()
    sources = {name for name in touched if name.endswith(SOURCE_ENDINGS)}
    return sorted(touched - sources | with_other_code(root, sources, sorted(set(parents) - set(known))))


# --- what is built of it --------------------------------------------------------------------------


def read_units(root: Path, database: Path) -> List[Unit]:
    try:
        entries = json.loads(database.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise PlanError(f"{database}: {error}") from error
    units = []
    for entry in entries:
        made = re.search(r" -o (?:(\S+)/)?CMakeFiles/(\S+?)\.dir/", entry["command"])
        source = Path(entry["file"])
        if made and root in source.parents:
            units.append(Unit(str(source.relative_to(root)), made.group(2), made.group(1) or ""))
    return units


class Tree:
    def __init__(self, root: Path, units: List[Unit]):
        self.root = root
        self.units = units

    @functools.lru_cache(maxsize=None)
    def includes(self, source: str) -> List[str]:
        text = (self.root / source).read_text(encoding="utf-8", errors="replace")
        return re.findall(r'^\s*#\s*include\s*["<]([^">]+)[">]', text, re.MULTILINE)

    def including(self, header: str) -> List[Unit]:
        """Units whose source includes it directly: those with its name first, then those in its folder."""
        stem, folder = Path(header).stem, str(Path(header).parent)
        found = [unit for unit in self.units
                 if any(("/" + header).endswith("/" + name) for name in self.includes(unit.source))]
        return sorted(found, key=lambda unit: (Path(unit.source).stem != stem, str(Path(unit.source).parent) != folder))

    def targets_in(self, folder: str) -> Set[str]:
        return {unit.target for unit in self.units if unit.folder == folder}

    def folder_of(self, file: str) -> Optional[str]:
        """The nearest parent folder of a file that defines a target."""
        folders = {unit.folder for unit in self.units}
        return next((str(parent) for parent in Path(file).parents if str(parent) in folders and str(parent) != "."), None)


def testing_folders(file: str) -> List[str]:
    """The test folders for a file outside tests/."""
    folders = []
    for parent in (str(parent) for parent in Path(file).parents):
        folders += TESTED_BY.get(parent, [])
        if parent.startswith("userspace/"):
            name = parent.split("/", 1)[1]
            folders += [f"tests/unit/{name}", f"tests/integration/{name}"]
        # The rooms of a folder may have no tests of their own: those of the folder test them.
        if parent in TESTED_BY or (folders and parent.count("/") <= 1):
            break
    if re.match(r"bpf/(lib/)?notify", file):
        folders.append("tests/integration/notify")
    return folders


def targets_of(tree: Tree, file: str) -> Set[str]:
    """The targets that are built from a file, and the programs that test it."""
    owners = {unit.target for unit in tree.units if unit.source == file}
    if file.startswith("tests/"):
        if owners:
            return owners
        if file.endswith(".h"):
            beside = [unit for unit in tree.including(file) if unit.folder == tree.folder_of(file)]
            return {unit.target for unit in beside or tree.including(file)[:1]}
        named = [target for folder in testing_folders(file) for target in tree.targets_in(folder)]
        return set(named) or tree.targets_in(tree.folder_of(file) or "")
    if file.startswith("bench/"):
        below = "/".join(file.split("/")[1:-1])
        if file.endswith(".h"):
            owners = {unit.target for unit in tree.including(file)[:1]}
        return owners | {unit.target for unit in tree.units if unit.folder == "tests/integration/bench"
                         and below and any(name.startswith(below + "/") for name in tree.includes(unit.source))}
    own = tree.targets_in(tree.folder_of(file) or "") if file.startswith(("userspace/", "integrations/")) else set()
    return own.union(*(tree.targets_in(folder) for folder in testing_folders(file)))


def sources_to_read(tree: Tree, files: Iterable[str]) -> List[str]:
    """The sources for clang-tidy: changed ones, and one for each changed header."""
    known = {unit.source for unit in tree.units if TIDIED.match(unit.source)}
    sources: Dict[str, None] = {}
    headers = []
    for file in files:
        if file in known:
            sources[file] = None
        elif file.endswith(".h"):
            headers.append(file)
    for header in headers:
        readers = [unit.source for unit in tree.including(header) if unit.source in known]
        if readers and not any(reader in sources for reader in readers):
            sources[readers[0]] = None
    return sorted(sources)


def make_plan(tree: Tree, files: List[str]) -> Plan:
    plan = Plan(files)
    for file in files:
        plan.targets |= targets_of(tree, file)
        tooling = re.match(r"tests/tooling/(\w+)_test\.py$", file)
        if tooling:
            plan.tests.add(rf"^Tooling\.{tooling.group(1)}$")
            plan.targets.update(TOOLING_PROGRAMS.get(tooling.group(1), []))
        for pattern, tests, targets in NAMED_TESTS:
            if pattern.match(file):
                plan.tests.add(tests)
                plan.targets.update(targets)
        if EVERYWHERE.match(file):
            plan.notes.append(f"{file} is about every target: scripts/build-presets builds them all")
        if file.startswith(("tests/vm/", "scripts/vm", "scripts/lib/vm_")):
            plan.notes.append(f"{file} is about the virtual machine: scripts/test -L '^vm$' runs tests in it")
        if file.startswith("bpf/"):
            plan.notes.append(f"{file} runs on other kernels too: scripts/test -L '^vm$' tries it on 6.1")
        if file.startswith("tests/fuzz/"):
            plan.notes.append(f"{file} is about fuzzing: scripts/fuzz --seconds 10 runs all targets")
    plan.tidy = sources_to_read(tree, files)
    return plan


def print_plan(root: Path, plan: Plan) -> None:
    for file in plan.files:
        print(f"file {file}")
    for file in plan.files:
        if FORMATTED.match(file) and (root / file).exists():
            print(f"format {file}")
    for kind, names in (("target", sorted(plan.targets)), ("test", sorted(plan.tests)), ("tidy", plan.tidy),
                        ("note", list(dict.fromkeys(plan.notes)))):
        for name in names:
            print(f"{kind} {name}")


# --- which tests ----------------------------------------------------------------------------------


def selected(listing: dict, programs: Set[str], patterns: List[str]) -> List[int]:
    """Numbers of the tests, without those in the virtual machine and those of programs that were not built."""
    numbers = []
    for number, test in enumerate(listing["tests"], 1):
        labels = next((item["value"] for item in test.get("properties", []) if item["name"] == "LABELS"), [])
        if any(label.startswith("vm") for label in labels) or test["name"].endswith("_NOT_BUILT"):
            continue
        command = [Path(word) for word in test.get("command", [])]
        of_program = any(word.name in programs for word in command)
        there = all(word.exists() for word in command if {"bin", "tests"} & {word.parent.name} and word.is_absolute())
        if there and (of_program or any(re.search(pattern, test["name"]) for pattern in patterns)):
            numbers.append(number)
    return numbers


def main() -> int:
    parser = argparse.ArgumentParser(prog="change_plan.py", description=__doc__.splitlines()[0])
    kinds = parser.add_subparsers(dest="kind", required=True)
    for kind in ("plan", "sources"):
        one = kinds.add_parser(kind)
        one.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2])
        one.add_argument("--compile-commands", type=Path, required=True)
        which = one.add_mutually_exclusive_group(required=kind == "sources")
        which.add_argument("--since", metavar="COMMIT")
        if kind == "sources":
            which.add_argument("--last", type=int, metavar="N")
    select = kinds.add_parser("select")
    select.add_argument("--program", nargs="*", default=[])
    select.add_argument("--test", nargs="*", default=[])
    options = parser.parse_args()
    try:
        if options.kind == "select":
            numbers = selected(json.load(sys.stdin), set(options.program), options.test)
            print("0,0,0," + ",".join(map(str, numbers)) if numbers else "")
            return 0
        root = options.root.resolve()
        tree = Tree(root, read_units(root, options.compile_commands))
        if options.kind == "sources":
            files = touched_by_last(root, options.last) if options.last else since(root, options.since)
            print("".join(f"{source}\n" for source in sources_to_read(tree, files)), end="")
            return 0
        base = options.since or default_base(root)
        files = since(root, base)
        if files:
            print(f"base {base}")
            print_plan(root, make_plan(tree, files))
    except (PlanError, OSError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
