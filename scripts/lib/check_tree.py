#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the project's rules that need no compiler, and one that needs it briefly.

  includes         a folder of userspace/ includes only what docs/architecture.md's table allows it;
                   eviction/ and core/'s headers include no header of the system
  hot thread       daemon/hot, engine/ and eviction/ include nothing that locks, logs or opens files, also not
                   through another header, and call nothing that blocks; of the daemon, daemon/hot includes
                   only itself and daemon/shared
  kernel layers    a header of bpf/lib includes only headers of lower layers, and bpf/README.md and its own
                   first lines agree on its layer
  self-containment x.cpp includes x.h first, which proves that x.h stands alone; a header without a
                   .cpp is compiled alone
  licences         the first lines name the licence of the folder
  links            a relative link in a Markdown file leads to a file, and its #part to a heading
  paths            no path of a developer's machine in a tracked text
  sizes, names     no file and no class beyond its limit, no folder or file named utils, common, helper, manager
  packages         scripts/setup and docs/dependencies.md name the same packages

Prints one line per finding, FILE:LINE: what. Exits with 1 if there is any.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Set, Tuple

from class_sizes import class_sizes

ROOT = Path(__file__).resolve().parents[2]
SOURCE_FOLDERS = ["bench", "bpf", "examples", "include", "integrations", "tests", "userspace"]
SCRIPT_FOLDERS = [".ci", "scripts", "cmake", "deploy"]
KERNEL_LICENCE = "GPL-2.0-only OR BSD-2-Clause"
OUR_LICENCE = "Apache-2.0"
# Lines; a longer file holds more than one idea and must be split.
SIZE_LIMITS = {".bpf.c": 300, ".bpf.h": 250, ".cpp": 500}
# Of a class; the largest ones are the engines.
MOST_FIELDS = 34
MOST_METHODS = 60
BANNED_NAMES = re.compile(r"(^|_)(utils?|common|helpers?|manager|misc)(_|$)")
# Terms of the field: the kubelet's eviction manager, and the service manager systemd.
ALLOWED_NAMES = {
    f"userspace/{name}{suffix}" for name in ("eviction/manager", "daemon/service_manager") for suffix in (".h", ".cpp")
}
# Headers that a folder without Linux may include with <>: the standard library and header-only arithmetic.
PURE_HEADER = re.compile(r"[a-z_]+$|tl/|boost/multiprecision/")
# The protocol of a socket: only its terms are shared with the kernel side.
NOTIFY_HEADERS = {"evictd/abi/notify_terms.h", "evictd/abi/notify_wire.h"}
MACHINE_PATH = re.compile(r"(?<![\w.$}/-])/(work|farm|home/\w+|Users/\w+)/")

findings: List[str] = []


def report(path: Path, line: int, text: str) -> None:
    findings.append(f"{path.relative_to(ROOT)}:{line}: {text}")


def files_below(folders: List[str], suffixes: Tuple[str, ...] = ()) -> Iterator[Path]:
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.is_file() and not path.is_symlink() and "__pycache__" not in path.parts:
                if not suffixes or path.name.endswith(suffixes):
                    yield path


def lines_of(path: Path) -> List[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines()


def includes_of(path: Path) -> Iterator[Tuple[int, str, str]]:
    """(line, '"' or '<', header) of each #include."""
    for number, line in enumerate(lines_of(path), 1):
        match = re.match(r'\s*#\s*include\s*(["<])([^">]+)[">]', line)
        if match:
            yield number, match.group(1), match.group(2)


# --- includes ------------------------------------------------------------------------------------


def allowed_folders() -> Dict[str, Set[str]]:
    """The table of docs/architecture.md: folder of userspace/ -> folders that it may include."""
    allowed: Dict[str, Set[str]] = {}
    for line in lines_of(ROOT / "docs/architecture.md"):
        match = re.match(r"\| `userspace/(\w+)/` \|.*\|([^|]*)\|\s*$", line)
        if match:
            allowed[match.group(1)] = set(re.findall(r"`(\w+)`", match.group(2)))
    return allowed


def check_includes() -> None:
    allowed = allowed_folders()
    folders = {path.name for path in (ROOT / "userspace").iterdir() if path.is_dir()}
    for folder in sorted(folders - set(allowed)):
        report(ROOT / "docs/architecture.md", 1, f"the table of folders lacks userspace/{folder}/")
    for folder in sorted(set(allowed) - folders):
        report(ROOT / "docs/architecture.md", 1, f"the table of folders has userspace/{folder}/, which is not there")
    for path in files_below(["userspace"], (".h", ".cpp", ".c")):
        folder = path.relative_to(ROOT / "userspace").parts[0]
        pure = folder == "eviction" or (folder == "core" and path.suffix == ".h")
        for line, kind, header in includes_of(path):
            target = header.split("/")[0] if "/" in header else ""
            if kind == '"' and target in folders:
                if target != folder and target not in allowed.get(folder, set()):
                    report(path, line, f"{folder}/ may not include {target}/ (docs/architecture.md)")
            elif kind == "<" and pure and not PURE_HEADER.match(header):
                report(path, line, f"{folder}/ is pure C++: no <{header}> here")
            shared = header.startswith("evictd/abi/") and header not in NOTIFY_HEADERS
            if kind == '"' and shared and folder not in ("probe", "notify", "daemon"):
                report(path, line, "only probe/ and notify/ read the structures shared with the kernel side")


# --- hot thread ----------------------------------------------------------------------------------

HOT_FOLDERS = ["userspace/daemon/hot", "userspace/engine", "userspace/eviction"]
BLOCKING_HEADER = re.compile(
    r"(condition_variable|filesystem|fstream|future|iostream|mutex|shared_mutex|thread|fcntl\.h|(spdlog|nlohmann|fmt)/.*|base/log\.h)$"
)
OTHER_ROOM = re.compile(r"daemon/(?!hot/|shared/)")
BLOCKING_CALL = re.compile(
    r"(?<![\w.>])(?:::)?(openat2?|open|fopen|opendir|popen|system|sleep|usleep|nanosleep|fsync|fdatasync|syncfs|connect|accept4?"
    r"|waitpid|printf|fprintf|fputs|malloc)\("
)


def project_file(header: str, source: Path) -> Optional[Path]:
    """The file of the project that `source` includes as `header`; None for one of a library or of the build."""
    places = (ROOT / "userspace" / header, ROOT / "include" / header, source.parent / header)
    return next((place for place in places if place.is_file()), None)


def chains_to_blocking(source: Path) -> Iterator[Tuple[int, List[str]]]:
    """(line, headers) of each way over the project's includes from `source` to a header that may block, which is the
    last; the shortest way to each. Does not follow headers of the hot folders, which are checked themselves."""
    hot = [ROOT / folder for folder in HOT_FOLDERS]
    seen: Set[str] = set()
    waiting = [(line, [header], source) for line, _, header in includes_of(source)]
    for line, chain, includer in waiting:  # Grows while it is read.
        header = chain[-1]
        if header in seen:
            continue
        seen.add(header)
        if BLOCKING_HEADER.match(header) or OTHER_ROOM.match(header):
            yield line, chain
            continue
        target = project_file(header, includer)
        if target and not any(folder in target.parents for folder in hot):
            waiting.extend((line, chain + [name], target) for _, _, name in includes_of(target))


def check_hot_thread() -> None:
    for path in files_below(HOT_FOLDERS, (".h", ".cpp")):
        for line, chain in chains_to_blocking(path):
            report(path, line, f"runs on the hot thread: may not include {' > '.join(chain)}")
        for number, text in enumerate(lines_of(path), 1):
            call = BLOCKING_CALL.search(text.split("//")[0])
            if call:
                report(path, number, f"runs on the hot thread: may not call {call.group(1)}()")


# --- kernel layers -------------------------------------------------------------------------------


def check_kernel_layers() -> None:
    page = ROOT / "bpf/README.md"
    rows = re.findall(r"^\| (\d+) \| `([\w.]+)` \|", "\n".join(lines_of(page)), re.MULTILINE)
    listed = {name: int(layer) for layer, name in rows}
    headers = list(files_below(["bpf/lib"], (".bpf.h",)))
    for name in sorted(listed.keys() - {path.name for path in headers}):
        report(page, 1, f"the table of layers has {name}, which is not there")
    for path in headers:
        stated = re.search(r"\bLayer (\d+):", "\n".join(lines_of(path)[:4]))
        if stated is None or int(stated.group(1)) != listed.get(path.name):
            report(path, 2, f"must begin with the layer that bpf/README.md has: {listed.get(path.name, 'none')}")
        for line, kind, header in includes_of(path):
            if kind == '"' and header in listed and listed[header] >= listed.get(path.name, -1):
                report(path, line, f"layer {listed.get(path.name)} may not include {header} of layer {listed[header]}")


# --- self-containment ----------------------------------------------------------------------------


def include_name(header: Path) -> str:
    """The path with which the project includes a header."""
    relative = header.relative_to(ROOT)
    return str(Path(*relative.parts[1:]))


def compile_alone(header: Path, entry: dict) -> Optional[str]:
    """Compiles a file that includes only `header`, with another source's flags; None if that works."""
    words = shlex.split(entry["command"])
    flags: List[str] = []
    skip = False
    for word in words[1:]:
        if skip:
            skip = False
        elif word in ("-o", "-c", "-MF", "-MT"):
            skip = True
        elif word not in ("-MD", entry["file"]):
            flags.append(word)
    compiler = next(word for word in words if "clang" in os.path.basename(word))
    flags = [flag for flag in flags if flag != compiler]
    run = subprocess.run(
        [compiler, *flags, "-fsyntax-only", "-x", "c++", "-"],
        input=f'#include "{header}"\n',
        text=True,
        capture_output=True,
        cwd=entry["directory"],
        check=False,
    )
    if run.returncode == 0:
        return None
    return next((line for line in run.stderr.splitlines() if "error:" in line), run.stderr.strip())


def entry_for(header: Path, entries: List[dict]) -> dict:
    """The compilation entry for `header`: that of the first source in its folder that includes it, because a folder may
    have programs of several modules; else the first entry."""
    for entry in entries:
        if any(name.split("/")[-1] == header.name for _, _, name in includes_of(Path(entry["file"]))):
            return entry
    return entries[0]


def check_self_containment(compile_commands: Path, among: Optional[Set[Path]]) -> None:
    """`among`: compiles only these headers alone."""
    entries = json.loads(compile_commands.read_text(encoding="utf-8"))
    by_folder = {}
    for entry in entries:
        by_folder.setdefault(Path(entry["file"]).parent, []).append(entry)
    alone: List[Tuple[Path, dict]] = []
    for header in files_below(["include", "userspace", "tests"], (".h",)):
        if "abi" in header.parts:
            continue  # Shared with C; every BPF program and probe/ include them.
        source = header.with_suffix(".cpp")
        if not source.exists():
            core = ROOT / "userspace/core"
            beside = by_folder.get(core if header.parts[-3:-1] == ("include", "evictd") else header.parent)
            if beside and (among is None or header in among):
                alone.append((header, entry_for(header, beside)))
            continue
        first = next(includes_of(source), (1, "", ""))
        if first[2] not in (include_name(header), header.name) and not first[2].endswith("/" + header.name):
            report(source, first[0], f"must include {header.name} first, to prove that it stands alone")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (header, _), failure in zip(alone, pool.map(lambda pair: compile_alone(*pair), alone)):
            if failure:
                report(header, 1, f"does not compile alone: {failure}")


# --- licences, links, paths, sizes, names, packages ----------------------------------------------


def check_licences() -> None:
    for path in files_below(SOURCE_FOLDERS + SCRIPT_FOLDERS, (".h", ".c", ".cpp", ".cmake", "CMakeLists.txt", ".py", ".go")):
        relative = path.relative_to(ROOT)
        kernel_side = "bpf" in relative.parts[:2] or relative.parts[:3] == ("include", "evictd", "abi")
        kernel_side = kernel_side and relative.parts[0] != "tests"
        wanted = KERNEL_LICENCE if kernel_side and path.suffix in (".h", ".c") else OUR_LICENCE
        head = lines_of(path)[:2]
        if not any(f"SPDX-License-Identifier: {wanted}" in line for line in head):
            report(path, 1, f"the first lines must say SPDX-License-Identifier: {wanted}")
    for path in files_below(SCRIPT_FOLDERS):
        head = lines_of(path)[:2]
        if head and head[0].startswith("#!") and "SPDX-License-Identifier" not in "".join(head):
            report(path, 2, f"the second line must say SPDX-License-Identifier: {OUR_LICENCE}")


def heading_anchors(path: Path) -> Set[str]:
    """The anchors that forges generate from the headings of a Markdown file."""
    anchors = set()
    for line in lines_of(path):
        match = re.match(r"#+ +(.*?)\s*#*$", line)
        if match:
            text = re.sub(r"[^\w\- ]", "", match.group(1).lower())
            anchors.add(text.replace(" ", "-"))
    return anchors


def markdown_files() -> List[Path]:
    return sorted(ROOT.glob("*.md")) + list(files_below(SOURCE_FOLDERS + SCRIPT_FOLDERS + ["docs", "vmlinux"], (".md",)))


def check_links() -> None:
    for path in markdown_files():
        code = False
        for number, line in enumerate(lines_of(path), 1):
            if line.lstrip().startswith("```"):
                code = not code
            if code:
                continue
            for target in re.findall(r"\]\(([^)\s]+)\)", line):
                if re.match(r"[a-z]+:", target):
                    continue
                name, _, part = target.partition("#")
                linked = (path.parent / name).resolve() if name else path
                if not linked.exists():
                    report(path, number, f"the link {target} leads nowhere")
                elif part and linked.suffix == ".md" and part not in heading_anchors(linked):
                    report(path, number, f"{target}: no such heading")


def check_paths() -> None:
    texts = list(files_below(SOURCE_FOLDERS + SCRIPT_FOLDERS + ["docs"])) + sorted(ROOT.glob("*.*"))
    for path in texts:
        # In a worktree .git is a file that belongs to git.
        if path in (Path(__file__).resolve(), ROOT / ".git") or not path.is_file() or "data" in path.parts:
            continue
        for number, line in enumerate(lines_of(path), 1):
            if MACHINE_PATH.search(line):
                report(path, number, "names a path of one machine")


def check_sizes_and_names() -> None:
    named = ["bpf", "include", "userspace"]
    for path in files_below(named + ["bench", "tests"]):
        suffix = next((end for end in SIZE_LIMITS if path.name.endswith(end)), None)
        count = len(lines_of(path)) if suffix else 0
        if suffix and count > SIZE_LIMITS[suffix]:
            report(path, count, f"{count} lines, the limit for *{suffix} is {SIZE_LIMITS[suffix]}")
        for part in path.relative_to(ROOT).parts if path.relative_to(ROOT).parts[0] in named else ():
            stem = part.split(".")[0]
            if BANNED_NAMES.search(stem) and str(path.relative_to(ROOT)) not in ALLOWED_NAMES:
                report(path, 1, f"the name {part} does not say what is inside")


def check_classes() -> None:
    for path in files_below(["bench", "include", "tests", "userspace"], (".h", ".cpp")):
        for found in class_sizes(path.read_text(encoding="utf-8", errors="replace")):
            if found.fields > MOST_FIELDS:
                report(path, found.line, f"class {found.name} has {found.fields} fields, the limit is {MOST_FIELDS}")
            if found.methods > MOST_METHODS:
                report(path, found.line, f"class {found.name} has {found.methods} methods, the limit is {MOST_METHODS}")


def check_packages() -> None:
    setup = ROOT / "scripts/setup"
    text = setup.read_text(encoding="utf-8")
    installed: Set[str] = set()
    for block in re.findall(r"_packages=\((.*?)\n\)", text, re.DOTALL):
        for line in block.splitlines():
            installed.update(line.split("#")[0].split())
    documented = set()
    page = ROOT / "docs/dependencies.md"
    for line in lines_of(page):
        if line.startswith("| `"):
            documented.update(re.findall(r"`([^`]+)`", line.split("|")[1]))
    for name in sorted(installed - documented):
        report(page, 1, f"lacks {name}, which scripts/setup installs")
    for name in sorted(documented - installed):
        report(setup, 1, f"does not install {name}, which docs/dependencies.md lists")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compile-commands", type=Path, required=True)
    parser.add_argument("--among", nargs="+", metavar="FILE", help="compile only these headers alone")
    options = parser.parse_args()
    check_includes()
    check_hot_thread()
    check_kernel_layers()
    check_self_containment(options.compile_commands, {ROOT / name for name in options.among} if options.among else None)
    check_licences()
    check_links()
    check_paths()
    check_sizes_and_names()
    check_classes()
    check_packages()
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
