# SPDX-License-Identifier: Apache-2.0
"""Adds the rows of one results file of a bench to another one.

For benches whose whole plan takes more than one run. A row and its notes replace the row with the same name and params;
a row that could not be run replaces none. Rows of another commit, kernel or machine are not comparable: the script
refuses them and leaves INTO unchanged. With --across-commits, another commit is accepted if no measured file differs
(measured_tree.py); a note names both.
"""
import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any, Dict, List

sys.dont_write_bytecode = True
from measured_tree import ROOT, TreeError, differing  # noqa: E402

# The machine's other values differ from one start to the next.
SAME_MACHINE = ("architecture", "cpu", "cpus", "cgroup", "kernel")


class AddError(Exception):
    """Why the rows cannot be added, for the person who runs this."""


def load(path: Path) -> Dict[str, Any]:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise AddError(f"{path}: {error}") from error


def require_same_tree(new: Dict[str, Any], old: Dict[str, Any], into: Path, tree: Path, across: bool) -> List[str]:
    """The note for rows of two commits; none if both are of one."""
    if new["bench"] != old["bench"]:
        raise AddError(f"{into}: bench is {old['bench']}, that of the new rows {new['bench']}: they are not comparable")
    ours, theirs = new["commit"], old["commit"]
    if ours == theirs:
        return []
    if not across:
        raise AddError(f"{into}: commit is {theirs}, that of the new rows {ours}: they are not comparable, unless "
                       "--across-commits finds that nothing that is measured differs")
    try:
        differ = differing(tree, new["bench"], theirs, ours)
    except TreeError as error:
        raise AddError(f"{into}: {error}") from error
    if differ:
        raise AddError(f"{into}: commit is {theirs}, that of the new rows {ours}: they are not comparable, "
                       f"{', '.join(differ[:3])}{' and others' if len(differ) > 3 else ''} differ")
    return [f"rows of commits {theirs} and {ours}: no file that goes into what is measured differs between them"]


def require_same_machine(new: Dict[str, Any], old: Dict[str, Any], into: Path) -> None:
    for field in SAME_MACHINE:
        ours, theirs = new["machine"].get(field), old["machine"].get(field)
        if ours != theirs:
            raise AddError(f"{into}: {field} is {theirs}, that of the new rows {ours}: they are not comparable")


def key_of(row: Dict[str, Any]) -> str:
    return json.dumps([row["name"], row["params"]], sort_keys=True)


def is_measured(row: Dict[str, Any]) -> bool:
    return row["n"] > 0 or bool(row.get("counts"))


def added(new: Dict[str, Any], old: Dict[str, Any], more_notes: List[str]) -> Dict[str, Any]:
    # A row that could not be run does not invalidate an earlier measurement.
    measured = {key_of(row) for row in old["rows"] if is_measured(row)}
    new_rows = [row for row in new["rows"] if is_measured(row) or key_of(row) not in measured]
    replaced = {key_of(row) for row in new_rows}
    notes = list(dict.fromkeys([*old.get("notes", []), *new.get("notes", []), *more_notes]))
    rows = [row for row in old["rows"] if key_of(row) not in replaced] + new_rows
    return {**new, "notes": notes, "rows": rows}


def add(new_file: Path, into: Path, tree: Path, across: bool) -> None:
    whole = load(new_file)
    if into.exists():
        old = load(into)
        more_notes = require_same_tree(whole, old, into, tree, across)
        require_same_machine(whole, old, into)
        whole = added(whole, old, more_notes)
    unfinished = into.with_name(into.name + ".new")
    unfinished.write_text(json.dumps(whole, indent=1, ensure_ascii=False, sort_keys=True) + "\n", encoding="utf-8")
    os.replace(unfinished, into)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="add_results.py", description=__doc__,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    top.add_argument("--across-commits", action="store_true")
    top.add_argument("--before", nargs=2, metavar=("BENCH", "COMMIT"),
                     help="add nothing: only say whether rows of this bench and commit could be added")
    top.add_argument("--tree", type=Path, default=ROOT, help="whose history is asked")
    top.add_argument("files", nargs="+", type=Path, metavar="[NEW] INTO")
    return top


def main() -> int:
    options = parser().parse_args()
    if len(options.files) != (1 if options.before else 2):
        print("add_results: wanted is NEW and INTO, or with --before only INTO", file=sys.stderr)
        return 2
    into = options.files[-1]
    try:
        if not options.before:
            add(options.files[0], into, options.tree, options.across_commits)
        elif into.exists():
            bench, commit = options.before
            require_same_tree({"bench": bench, "commit": commit}, load(into), into, options.tree,
                              options.across_commits)
    except AddError as error:
        print(f"add_results: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
