# SPDX-License-Identifier: Apache-2.0
"""Reads bench/plan.toml, which bench/README.md describes, and counts the commits since a result was measured."""
import itertools
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional

PLAN = "bench/plan.toml"
# A result is stale if more commits than this have changed the code that it measures.
MOST_COMMITS = 50


class PlanError(Exception):
    """An error in the plan or from git, for the person who runs this."""


@dataclass(frozen=True)
class Row:
    """What has a run of its own."""
    # The words that select it; none if one run makes all.
    words: str
    # How often it is tried; None if the command does not ask.
    trials: Optional[int]
    # About how long it takes.
    minutes: float


@dataclass(frozen=True)
class Planned:
    """A file in bench/results, and how it is made."""
    name: str
    # The command line. {out} is the file to write, {row} the words that select a row, {trials} how often it is tried.
    run: str
    rows: List[Row]
    # What it needs of the release build.
    targets: List[str]
    # The folders whose code it measures.
    measures: List[str]
    # About how long all of it takes.
    minutes: int


def rows_of(part: Dict[str, Any], run: str) -> List[Row]:
    """The rows of a part of a result; each takes as long as another of the part."""
    words = [" ".join(chosen) for chosen in itertools.product(*part.get("rows", []))]
    trials = part["trials"] if "{trials}" in run else None
    return [Row(each, trials, part["minutes"] / len(words)) for each in words]


def planned(name: str, entry: Dict[str, Any], measures: List[str]) -> Planned:
    parts = entry.get("parts", [entry])
    return Planned(name, entry["run"], [row for part in parts for row in rows_of(part, entry["run"])],
                   entry["targets"], measures + entry.get("measures", []), sum(part["minutes"] for part in parts))


def load_plan(root: Path) -> Dict[str, Planned]:
    """What is planned, by name, in the order of the file."""
    try:
        whole = tomllib.loads((root / PLAN).read_text(encoding="utf-8"))
        return {name: planned(name, entry, whole["measures"]) for name, entry in whole["results"].items()}
    except KeyError as error:
        raise PlanError(f"{PLAN}: lacks the field {error}") from error
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise PlanError(f"{PLAN}: {error}") from error


def git(root: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(["git", "-C", str(root), *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False)


def commits_since(root: Path, commit: str, folders: List[str]) -> Optional[int]:
    """How many commits since this one changed the folders, merges not counted; None if it is not in this history."""
    if git(root, "merge-base", "--is-ancestor", commit, "HEAD").returncode != 0:
        return None
    done = git(root, "rev-list", "--count", "--no-merges", f"{commit}..HEAD", "--", *folders)
    if done.returncode != 0:
        raise PlanError(f"commits since {commit}: {done.stderr.strip()}")
    return int(done.stdout)
