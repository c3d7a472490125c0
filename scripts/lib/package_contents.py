#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the files of the Debian packages with deploy/debian/contents.

  package_contents.py --packages FOLDER   the packages that scripts/package built there
  package_contents.py --build BUILD       what `cmake --install --component` installs from a build with prefix /usr

A line of deploy/debian/contents is PACKAGE COMPONENT PATTERN. A pattern is a path with * for any text without a slash
and **/ for any folders or none. Each pattern must match at least one file, and each file of a package must match a pattern.
A pattern after "+" matches files that only a package has.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def expectations():
    """{(package, component): [(pattern, only_packaged)]}"""
    found = {}
    for line in (ROOT / "deploy/debian/contents").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            package, component, pattern = line.split()
            found.setdefault((package, component), []).append((pattern.lstrip("+"), pattern.startswith("+")))
    return found


def expression(pattern):
    text = re.escape(pattern).replace(r"\*\*/", "(.*/)?").replace(r"\*", "[^/]*")
    # Packages compress manual pages.
    return re.compile(text + (r"(\.gz)?" if "/man/" in pattern else "") + r"\Z")


def differences(what, files, patterns):
    expressions = {pattern: expression(pattern) for pattern in patterns}
    missing = [pattern for pattern, one in expressions.items() if not any(one.match(name) for name in files)]
    surplus = [name for name in files if not any(one.match(name) for one in expressions.values())]
    return [f"{what}: lacks {name}" for name in missing] + [f"{what}: has {name}, which nothing names" for name in surplus]


def files_of_package(deb):
    tar = subprocess.run(["dpkg-deb", "--fsys-tarfile", deb], check=True, stdout=subprocess.PIPE).stdout
    names = subprocess.run(["tar", "-t"], input=tar, check=True, stdout=subprocess.PIPE).stdout.decode()
    return [name[1:] for name in names.splitlines() if not name.endswith("/")]


def files_of_component(build, component):
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["cmake", "--install", build, "--component", component, "--prefix", "/usr"], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "DESTDIR": folder})
        return sorted(str(path)[len(folder):] for path in Path(folder).rglob("*") if path.is_symlink() or path.is_file())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--packages", type=Path)
    source.add_argument("--build", type=Path)
    options = parser.parse_args()
    found = []
    for (package, component), rows in expectations().items():
        if options.packages:
            debs = list(options.packages.glob(f"{package}_*.deb"))
            found += [] if len(debs) == 1 else [f"{package}: {len(debs)} packages"]
            for deb in debs[:1]:
                found += differences(deb.name, files_of_package(deb), [pattern for pattern, _ in rows])
        else:
            files = files_of_component(options.build, component)
            found += differences(component, files, [pattern for pattern, packaged in rows if not packaged])
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
