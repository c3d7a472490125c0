# SPDX-License-Identifier: Apache-2.0
"""Lists the files that influence a race's results and compares them: measured_tree.py changed BENCH.

Rows of two commits may share a table if none of these files differs: the programs, their workload and their machine are
then the same. `changed` prints the files that differ from the last commit, one per line.
"""
import subprocess
import sys
from pathlib import Path
from typing import List, Optional

ROOT = Path(__file__).resolve().parents[2]
MEASURED = ("CMakeLists.txt", "CMakePresets.json", "cmake", "vmlinux", "bpf", "include", "userspace",
            "bench/CMakeLists.txt", "bench/bpf", "bench/cast", "bench/harness", "bench/observer",
            "scripts/bench-in-vm", "scripts/vm", "scripts/lib/vm_image.py", "scripts/lib/vm_init", "scripts/lib/vm_machine.py")
# The user's program and a library for other programs: neither is part of evictd or of evict-load.
NOT_MEASURED = ("userspace/cli", "userspace/notify_client")


class TreeError(Exception):
    """git's error, for the person who runs this."""


def differing(root: Path, bench: str, commit: str, other: Optional[str] = None) -> List[str]:
    """Measured files that differ between two commits, or between a commit and the working tree."""
    command = ["git", "-C", str(root), "diff", "--name-only", commit] + ([other] if other else [])
    command += ["--", *MEASURED, f"bench/{bench}", *(f":(exclude){path}" for path in NOT_MEASURED)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise TreeError(f"what differs between {commit} and {other or 'the files'}: {done.stderr.strip()}")
    return done.stdout.split("\n")[:-1]


def main() -> int:
    if len(sys.argv) != 3 or sys.argv[1] != "changed":
        print("usage: measured_tree.py changed BENCH", file=sys.stderr)
        return 2
    try:
        for path in differing(ROOT, sys.argv[2], "HEAD"):
            print(path)
    except TreeError as error:
        print(f"measured_tree: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
