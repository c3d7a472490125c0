# SPDX-License-Identifier: Apache-2.0
"""What a compiler and clang-tidy see of a C or C++ source: its text without comments and without layout."""
import re
import subprocess
from pathlib import Path
from typing import Dict, Iterable, List, Set

COMMENT_OR_LITERAL = re.compile(
    r"""(?P<comment>//(?:\\\n|[^\n])*|/\*.*?\*/)
      |R"(?P<mark>[^()\s\\]{0,16})\(.*?\)(?P=mark)"
      |"(?:\\.|[^"\\\n])*"
      |(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'""",
    re.DOTALL | re.VERBOSE,
)
# clang-tidy reads these.
SPOKEN_TO_A_TOOL = re.compile(r"NOLINT|=\s*\*/$")


def code_of(text: str) -> str:
    """Two texts with equal code give the same findings, but for their places."""
    def kept(match: "re.Match[str]") -> str:
        comment = match["comment"]
        return match[0] if comment is None or SPOKEN_TO_A_TOOL.search(comment) else " "

    return " ".join(COMMENT_OR_LITERAL.sub(kept, text).split())


def texts_at(root: Path, commit: str, files: Iterable[str]) -> Dict[str, str]:
    """The files that a commit has, as they were."""
    names = list(files)
    wanted = "".join(f"{commit}:{name}\n" for name in names)
    done = subprocess.run(["git", "-C", str(root), "cat-file", "--batch"], input=wanted.encode(), capture_output=True,
                          check=True)
    texts: Dict[str, str] = {}
    rest = done.stdout
    for name in names:
        head, _, rest = rest.partition(b"\n")
        if head.endswith(b" missing"):
            continue
        size = int(head.rsplit(b" ", 1)[1])
        texts[name] = rest[:size].decode("utf-8", errors="replace")
        rest = rest[size + 1:]
    return texts


def with_other_code(root: Path, files: Iterable[str], commits: List[str]) -> Set[str]:
    """Those of the files as they are now whose code differs from that of any of the commits, or is new."""
    now = {name: code_of((root / name).read_text(encoding="utf-8", errors="replace"))
           for name in files if (root / name).is_file()}
    same: Set[str] = set(now) if commits else set()
    for commit in commits:
        before = texts_at(root, commit, sorted(same))
        same = {name for name in same if name in before and code_of(before[name]) == now[name]}
    return set(now) - same
