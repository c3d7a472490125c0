# SPDX-License-Identifier: Apache-2.0
"""Reads bench/plan.toml, which bench/README.md describes, and counts the commits since a result was measured."""
import itertools
import subprocess
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Dict, List, Optional

PLAN = "bench/plan.toml"
# A result is stale if more commits than this have changed the code that it measures.
MOST_COMMITS = 50


class PlanError(Exception):
    """An error in the plan or from git, for the person who runs this."""


@dataclass(frozen=True)
class Planned:
    """A file in bench/results, and how it is made."""
    name: str
    # The command line. {out} is the file to write, {row} the words that select a row.
    run: str
    # The words of each row that has a run of its own; one without words if one run makes all.
    rows: List[str]
    # What it needs of the release build.
    targets: List[str]
    # The folders whose code it measures.
    measures: List[str]
    # About how long all of it takes.
    minutes: int


def load_plan(root: Path) -> Dict[str, Planned]:
    """What is planned, by name, in the order of the file."""
    try:
        whole = tomllib.loads((root / PLAN).read_text(encoding="utf-8"))
        return {name: Planned(name, entry["run"],
                              [" ".join(words) for words in itertools.product(*entry.get("rows", []))],
                              entry["targets"], whole["measures"] + entry.get("measures", []), entry["minutes"])
                for name, entry in whole["results"].items()}
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
