#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the simulation finds each bug of bugs/: applies them one by one to a copy of the engine and searches for
a seed that breaks a property. Prints the broken property of each bug and the command that reproduces it. Exits with 1
if the unchanged engine breaks a property, or a bug breaks none."""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

FOLDERS = ("include", "userspace/core", "userspace/eviction", "userspace/engine", "tests/support", "tests/simulation")
SOURCES = ("userspace/core", "userspace/eviction", "userspace/engine", "tests/simulation")
FLAGS = ("-std=c++20", "-O1", "-MMD", "-Iinclude", "-Iuserspace", "-Itests")
NOT_IN_IT = ("simulation_test.cpp",)


class Tree:
    """A copy of the simulation's sources, and its objects."""

    def __init__(self, source: pathlib.Path, build: pathlib.Path):
        shutil.rmtree(build, ignore_errors=True)
        self.root = build
        for folder in FOLDERS:
            shutil.copytree(source / folder, build / folder)
        self.sources = sorted(
            str(path.relative_to(build))
            for folder in SOURCES
            for path in (build / folder).glob("*.cpp")
            if path.name not in NOT_IN_IT
        )

    def run(self, *command: str) -> subprocess.CompletedProcess:
        return subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)

    def compile(self, source: str) -> None:
        done = self.run("c++", *FLAGS, "-c", source, "-o", source.replace(".cpp", ".o"))
        if done.returncode != 0:
            raise SystemExit(f"find_bugs: {source} does not compile:\n{done.stderr}")

    def includes(self, source: str, header: str) -> bool:
        return header in (self.root / source.replace(".cpp", ".d")).read_text(encoding="utf-8")

    def build(self, changed: list[str] | None = None) -> None:
        again = [
            source
            for source in self.sources
            if changed is None or any(path == source or self.includes(source, path) for path in changed)
        ]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(self.compile, again))
        objects = [source.replace(".cpp", ".o") for source in self.sources]
        done = self.run("c++", *objects, "-lfmt", "-o", "simulate")
        if done.returncode != 0:
            raise SystemExit(f"find_bugs: the simulation does not link:\n{done.stderr}")

    def apply(self, patch: pathlib.Path, *options: str) -> None:
        done = self.run("patch", "-p1", "--quiet", *options, "-i", str(patch))
        if done.returncode != 0:
            raise SystemExit(f"find_bugs: {patch.name} does not apply: update it\n{done.stdout}{done.stderr}")

    def simulate(self, worlds: int) -> subprocess.CompletedProcess:
        return self.run("./simulate", "--seed", "1", "--worlds", str(worlds), "--shrink")


def changed_by(patch: pathlib.Path) -> list[str]:
    lines = patch.read_text(encoding="utf-8").splitlines()
    return [line.split()[1].removeprefix("b/") for line in lines if line.startswith("+++ ")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=pathlib.Path, required=True, help="the project")
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build folder; will be emptied")
    parser.add_argument("--worlds", type=int, default=2000, help="number of worlds per bug (default: 2000)")
    options = parser.parse_args()
    tree = Tree(options.source, options.build)
    tree.build()
    clean = tree.simulate(options.worlds)
    print(f"the engine as it is: {clean.stdout.strip()}", flush=True)
    missed = [] if clean.returncode == 0 else ["the engine as it is"]
    for patch in sorted((options.source / "tests/simulation/bugs").glob("*.patch")):
        tree.apply(patch)
        tree.build(changed_by(patch))
        found = tree.simulate(options.worlds)
        if found.returncode == 0:
            missed.append(patch.stem)
        print(f"{patch.stem}: {found.stdout.strip() or 'ended with ' + str(found.returncode)}", flush=True)
        tree.apply(patch, "-R")
        tree.build(changed_by(patch))
    shutil.rmtree(options.build)
    if missed:
        print(f"find_bugs: wrong result: {', '.join(missed)}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
