#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Groups the sources of a compilation database into batches that clang-tidy can check at once.

Most of clang-tidy's time goes to the headers of a source. A file that includes several sources of the
same target therefore costs little more than one of them. Reads BUILD/compile_commands.json; writes the
batches and a database for them to BUILD/batches. Prints one line per batch: its path, a tab, and its
sources separated by blanks. A source that belongs to two targets is in one batch.

With --commands it makes no batch, and prints for each source its path, a tab, and a command that prints
all that the compiler sees of it, including macros and comments.
"""
import argparse
import json
import pathlib
import re
import shutil
import sys


def sources_by_target(database, pattern, among):
    """The matching sources of each target with their commands; only those in `among`, unless it is None."""
    targets = {}
    seen = set()
    for entry in database:
        source = entry["file"]
        if source in seen or not pattern.search(source) or among is not None and source not in among:
            continue
        seen.add(source)
        target = re.search(r" -o (\S+?\.dir)/", entry["command"]).group(1)
        targets.setdefault(target, []).append((source, entry["command"]))
    return targets


def print_commands(targets):
    for sources in targets.values():
        for source, command in sources:
            text = re.sub(r" -o \S+", "", command).replace(f" -c {source}", f" -E -CC -dD {source}")
            print(source, text, sep="\t")


def write_batches(targets, build, size):
    folder = build / "batches"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    entries = []
    for target, sources in targets.items():
        for start in range(0, len(sources), size):
            part = sources[start:start + size]
            name = f"{target.replace('/CMakeFiles', '').replace('/', '-').removesuffix('.dir')}-{start}.cpp"
            batch = folder / name
            batch.write_text("".join(f'#include "{source}"\n' for source, _ in part))
            first, command = part[0]
            entries.append({"directory": str(build), "file": str(batch), "command": command.replace(first, str(batch))})
            print(batch, " ".join(source for source, _ in part), sep="\t")
    (folder / "compile_commands.json").write_text(json.dumps(entries, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, type=pathlib.Path, help="a build tree")
    parser.add_argument("--sources", required=True, help="regular expression of the paths to take")
    parser.add_argument("--among", type=pathlib.Path, help="file of paths below the working directory; others are skipped")
    parser.add_argument("--commands", action="store_true", help="print the command of each source instead")
    parser.add_argument("--size", type=int, default=16, help="most sources in a batch")
    args = parser.parse_args()

    among = {str(pathlib.Path.cwd() / line) for line in args.among.read_text().split()} if args.among else None
    database = json.loads((args.build / "compile_commands.json").read_text())
    targets = sources_by_target(database, re.compile(args.sources), among)
    if args.commands:
        print_commands(targets)
    else:
        write_batches(targets, args.build.resolve(), args.size)
    return 0 if targets else 1


if __name__ == "__main__":
    sys.exit(main())
